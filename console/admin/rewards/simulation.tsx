import { Button, Progress, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { siteDay } from '../../shared/dates.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { money } from '../../shared/money.js';
import { AppLink, Figures, Panel, Problem, Waiting } from '../../shared/parts.js';
import { sentenceIn } from '../../shared/rewards.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, tn } from '../../shared/texts.js';
import { AffiliateLink, useGroups } from '../people.js';

const Chart = lazyPart(() => import('../../shared/chart.js'), 'Chart', <Waiting lines={5} />);

export type SimulationResult = ResponseOf<'rewards.simulation'>['simulation'];
export type Result = NonNullable<SimulationResult['result']>;

interface SimulationTotals {
  readonly currency: string;
  readonly orders: number;
  readonly before: number;
  readonly after: number;
}

export const changeText = ({ before, after, currency }: SimulationTotals): string =>
  t('{from} → {to}', { from: money(before, currency), to: money(after, currency) });

const whyText = (why: Result['unknown'][number]['why']): string =>
  ({
    no_facts: t('recorded before there were rules, or imported'),
    given: t('the shop set the commission'),
    extension: t('an extension set the amount'),
    edited: t('edited after it was recorded'),
    corrected: t('a manager corrected the amount'),
    no_exchange_rate: t('the exchange rate was not known'),
  })[why];

/** Computes what a draft would have paid, and shows the result. */
export function Simulation({ id, isSaved }: { id: number; isSaved: boolean }): ReactNode {
  const reading = useRead(
    'rewards.simulation',
    { params: { id } },
    { every: ({ simulation }) => simulation.state === 'running' && 1000 },
  );
  const start = useWrite('rewards.simulate', { done: null, quiet: true });
  const [from, setFrom] = useState(siteDay(-90));
  const [to, setTo] = useState(siteDay());
  const simulation = reading.data?.simulation;
  const isRunning = simulation?.state === 'running';
  return (
    <Panel
      title={t('What would it have paid?')}
      about={t(
        'Recalculates orders of these days with the draft and current refunds. No commission changes.',
      )}
    >
      <div className="fa-stack">
        <div className="fa-row">
          <TextInput
            type="date"
            label={t('From')}
            value={from}
            max={to}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            type="date"
            label={t('Until')}
            value={to}
            min={from}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Button
            style={{ alignSelf: 'end' }}
            loading={start.running || isRunning}
            disabled={!isSaved}
            onClick={() => start.press({ params: { id }, body: { from, to } })}
          >
            {t('Simulate')}
          </Button>
        </div>
        {!isSaved && <p className="fa-faint">{t('Save the draft first.')}</p>}
        {start.error && <Problem error={start.error} />}
        {isRunning && (
          <div role="status">
            <Progress
              value={simulation.total === 0 ? 100 : (simulation.done / simulation.total) * 100}
              aria-label={t('Progress')}
            />
            <span className="fa-number">
              {t('{done} of {total} orders', {
                done: number(simulation.done),
                total: number(simulation.total),
              })}
            </span>
          </div>
        )}
        {simulation?.result && <ResultOf result={simulation.result} />}
      </div>
    </Panel>
  );
}

/** The rules that applied to an order, one per line. */
const RuleSentences = ({ of }: { of: readonly Readonly<Record<string, string>>[] }): ReactNode =>
  of.length === 0 ? '—' : of.map((sentences, at) => <div key={at}>{sentenceIn(sentences)}</div>);

function ResultOf({ result }: { result: Result }): ReactNode {
  const groups = useGroups();
  const groupName = (id: number | null): string =>
    groups.find(({ value }) => value === String(id ?? ''))?.label ?? (id === null ? t('No group') : `#${id}`);
  const { totals, months, unknown, winners, losers, differences } = result;
  const orders = totals.reduce((sum, total) => sum + total.orders, 0);
  const [main] = totals;
  const own = months.filter(({ currency }) => currency === main?.currency);
  const compared = [
    { label: t('Before'), number: true, cell: (row: SimulationTotals) => money(row.before, row.currency) },
    {
      label: t('By the draft'),
      number: true,
      cell: (row: SimulationTotals) => money(row.after, row.currency),
    },
    { label: t('Orders'), number: true, cell: (row: SimulationTotals) => number(row.orders) },
  ] as const;
  return (
    <div className="fa-stack">
      <Figures
        figures={[
          ...totals.map((total) => ({
            label: t('Commissions, {currency}', { currency: total.currency }),
            value: money(total.after, total.currency),
            note: t('before: {amount}', { amount: money(total.before, total.currency) }),
          })),
          { label: t('Orders'), value: number(orders) },
          { label: t('Affiliates who get more'), value: number(winners.length) },
          { label: t('Affiliates who get less'), value: number(losers.length) },
        ]}
      />
      {own.length > 0 && (
        <Chart
          title={t('Commissions by month')}
          labels={own.map(({ month }) => month)}
          series={[
            { name: t('Before'), values: own.map(({ before }) => before), money: true },
            { name: t('By the draft'), values: own.map(({ after }) => after), money: true },
          ]}
        />
      )}
      {result.groups.length > 0 && (
        <Sheet
          cards
          rows={result.groups}
          rowKey={(row) => `${row.group_id}:${row.currency}`}
          columns={[{ label: t('Group'), cell: (row) => groupName(row.group_id) }, ...compared]}
        />
      )}
      {[...winners, ...losers].length > 0 && (
        <Sheet
          cards
          rows={[...winners.slice(0, 10), ...losers.slice(0, 10)]}
          rowKey={(row) => `${row.affiliate_id}:${row.currency}`}
          columns={[
            { label: t('Affiliate'), cell: (row) => <AffiliateLink id={row.affiliate_id} /> },
            ...compared,
          ]}
        />
      )}
      {differences.length > 0 && (
        <details className="fa-more">
          <summary>{t('Largest differences')}</summary>
          <Sheet
            cards
            rows={differences}
            rowKey={(row) => String(row.order_id)}
            columns={[
              {
                label: t('Order'),
                cell: (row) =>
                  row.referral_id === null ? (
                    `#${row.order_id}`
                  ) : (
                    <AppLink href={`/referrals/${row.referral_id}`}>{`#${row.order_id}`}</AppLink>
                  ),
              },
              { label: t('Before'), number: true, cell: (row) => money(row.before, row.currency) },
              { label: t('By the draft'), number: true, cell: (row) => money(row.after, row.currency) },
              { label: t('Explained before'), cell: (row) => <RuleSentences of={row.said_before} /> },
              { label: t('By the draft, explained'), cell: (row) => <RuleSentences of={row.said_after} /> },
            ]}
          />
        </details>
      )}
      {unknown.map(({ why, count }) => (
        <p key={why} className="fa-faint">
          {tn('{count} order skipped: {why}', '{count} orders skipped: {why}', count, {
            why: whyText(why),
          })}
        </p>
      ))}
    </div>
  );
}
