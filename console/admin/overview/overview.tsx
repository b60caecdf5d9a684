import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useBoot, useMay } from '../../shared/boot.js';
import { Chart, type Series } from '../../shared/chart.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { cardText, money } from '../../shared/money.js';
import { balanceFigures, CommissionAmount, OtherBalances, StateMark } from '../../shared/money-states.js';
import { Loaded, AppLink, Change, Empty, Figures, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { useStored } from '../../shared/stored.js';
import { number, percent, t } from '../../shared/texts.js';
import { AffiliatePerson } from '../people.js';
import { referralName } from '../referrals/name.js';
import { loadGuide } from '../lazy-parts.js';
import { useRange, type Range } from './range.js';
import { ToDo } from './to-do.js';

const NextStep = lazyPart(loadGuide, 'NextStep');

export function Overview(): ReactNode {
  const { user } = useBoot();
  const { range, before, picker } = useRange();
  const dashboard = useRead('reports.dashboard');
  return (
    <>
      <PageHead
        name={t('Overview')}
        title={t('Hello, {name}', { name: user?.name.split(' ')[0] ?? '' })}
        about={t('How the program is doing.')}
        actions={picker()}
      />
      <div className="fa-stack">
        <Start />
        <ToDo reading={dashboard} />
        <Now reading={dashboard} />
        <TrendPanel range={range} before={before} />
        <div className="fa-split">
          <Newest reading={dashboard} />
          <Best reading={dashboard} />
        </div>
      </div>
    </>
  );
}

interface QueryView {
  readonly data: ResponseOf<'reports.dashboard'> | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Balances and active affiliates now, independent of the selected days. */
function Now({ reading }: { reading: QueryView }): ReactNode {
  const seesMoney = useMay('payouts', 'read');
  const balances = useRead('reports.balances', undefined, { enabled: seesMoney });
  const program = balances.data?.balances ?? [];
  const active = reading.data?.stats['active_affiliates'];
  if (reading.error && reading.data === undefined) return <Loaded of={reading}>{() => null}</Loaded>;
  const figures = [
    ...program.slice(0, 1).flatMap(balanceFigures),
    ...(active === undefined
      ? []
      : [{ label: t('Active affiliates'), value: cardText(active), href: '/affiliates?status=active' }]),
  ];
  const isLoading = reading.data === undefined || (seesMoney && balances.isPending);
  if (figures.length === 0 && !isLoading) return null;
  return (
    <section aria-labelledby="fa-now">
      <h2 className="fa-part" id="fa-now">
        {t('Now')}
      </h2>
      <Figures
        figures={figures.length > 0 ? figures : [{ label: t('Active affiliates'), value: '' }]}
        loading={isLoading}
      />
      <OtherBalances balances={program} />
    </section>
  );
}

const NAMES = (): Readonly<Record<string, string>> => ({
  Referrals: t('Commissions'),
  Visits: t('Clicks'),
  Affiliates: t('New affiliates'),
});

/** Values per day with their sum and the sum of the previous period; null if unknown. */
interface Metric {
  readonly key: string;
  readonly line: Series;
  readonly sum: number;
  readonly before: number | null;
  /** Suffix of the sum. */
  readonly note?: string;
}

const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function metricOf(key: string, line: Series, before: readonly number[] | undefined): Metric {
  return {
    key,
    line: before === undefined ? line : { ...line, before: line.values.map((_, at) => before[at] ?? 0) },
    sum: sumOf(line.values),
    before: before === undefined ? null : sumOf(before),
  };
}

/** Metrics of the selected days compared with the previous period; the selected one is charted. */
function TrendPanel({ range, before }: { range: Range; before: Range }): ReactNode {
  const address = useAddress();
  const query = { start_date: range.from, end_date: range.to };
  const queryBefore = { start_date: before.from, end_date: before.to };
  const then = useRead('reports.chart', { query: queryBefore });
  const earned = useRead('reports.earnings', { query });
  const earnedThen = useRead('reports.earnings', { query: queryBefore });
  return (
    <Panel title={t('Selected days')} about={t('Dashed: previous period.')}>
      <QueryView of="reports.chart" input={{ query }} lines={6}>
        {(data) => {
          const metrics = [
            ...(earned.data?.labels.length === data.xAxisData.length
              ? [
                  metricOf(
                    'Earnings',
                    { name: t('Earnings'), values: earned.data.earnings, money: true },
                    earnedThen.data?.earnings,
                  ),
                  metricOf(
                    'Sales',
                    { name: t('Sales'), values: earned.data.order_totals, money: true },
                    earnedThen.data?.order_totals,
                  ),
                ]
              : []),
            ...data.series.map(({ name, data: values }) => ({
              ...metricOf(
                name,
                { name: NAMES()[name] ?? name, values },
                then.data?.series.find((one) => one.name === name)?.data,
              ),
              ...(name === 'Referrals' && { note: conversionText(data) }),
            })),
          ];
          const shown = metrics.find(({ key }) => key === address.get('chart')) ?? metrics[0];
          if (shown === undefined) return <Empty title={t('Your rights don’t include any figures')} />;
          return (
            <>
              <div className="fa-metrics" role="group" aria-label={t('What the chart shows')}>
                {metrics.map((metric) => (
                  <MetricButton
                    key={metric.key}
                    metric={metric}
                    chosen={metric === shown}
                    onChoose={() =>
                      address.set({ chart: metric === metrics[0] ? null : metric.key }, { replace: true })
                    }
                  />
                ))}
              </div>
              <Chart title={shown.line.name} labels={data.xAxisData} series={[shown.line]} />
            </>
          );
        }}
      </QueryView>
    </Panel>
  );
}

/** Conversion rate of clicks; empty where it says nothing. */
function conversionText({ series }: ResponseOf<'reports.chart'>): string {
  const total = (name: string): number => sumOf(series.find((one) => one.name === name)?.data ?? []);
  const [clicks, commissions] = [total('Visits'), total('Referrals')];
  // a code or a later order earns without a click
  return clicks < commissions || clicks === 0
    ? ''
    : t('{share} of clicks', { share: percent(commissions / clicks) });
}

function MetricButton({
  metric: { line, sum, before, note },
  chosen,
  onChoose,
}: {
  metric: Metric;
  chosen: boolean;
  onChoose: () => void;
}): ReactNode {
  return (
    <button type="button" className="fa-metric" aria-pressed={chosen} onClick={onChoose}>
      <span className="fa-figure-label">{line.name}</span>
      <span className="fa-metric-value">{line.money ? money(sum) : number(sum)}</span>
      <span className="fa-figure-note">
        {(before !== 0 || !note) && (
          <Change share={before === null || before === 0 ? null : (sum - before) / before} />
        )}{' '}
        {note}
      </span>
    </button>
  );
}

function Best({ reading }: { reading: QueryView }): ReactNode {
  return (
    <Panel
      title={t('Top affiliates')}
      about={t('By earnings of all time.')}
      actions={<AppLink href="/affiliates?sort=-total_earnings">{t('All')}</AppLink>}
    >
      <Loaded of={reading}>
        {({ top_affiliates: rows }) =>
          rows.length === 0 ? (
            <Empty title={t('No affiliates yet')} />
          ) : (
            <div className="fa-rows">
              {rows.map((row) => (
                <div key={row.id}>
                  <AffiliatePerson of={row} />
                  <span className="fa-number">{money(row.total_earnings)}</span>
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Newest({ reading }: { reading: QueryView }): ReactNode {
  return (
    <Panel title={t('Latest commissions')} actions={<AppLink href="/referrals">{t('All')}</AppLink>}>
      <Loaded of={reading}>
        {({ recent_referrals: rows }) =>
          rows.length === 0 ? (
            <Empty
              title={t('No commissions yet')}
              text={t('The first sale through an affiliate appears here.')}
            />
          ) : (
            <div className="fa-rows">
              {rows.map((row) => (
                <div key={row.id}>
                  <span className="fa-person-text">
                    <AppLink href={`/referrals/${row.id}`}>{referralName(row)}</AppLink>
                    <span className="fa-faint">
                      {row.affiliate?.user?.full_name} · <DateTime at={row.created_at} />
                    </span>
                  </span>
                  <span className="fa-row">
                    <StateMark of={row.state} />
                    <CommissionAmount of={row} />
                  </span>
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** The next step of the setup guide, for users who may do it. */
function Start(): ReactNode {
  const { rights } = useBoot();
  const [isAway, setAway] = useStored('guide-away', false);
  if (!rights.settings) return null;
  const hide = (
    <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setAway(true)}>
      {t('Hide')}
    </Button>
  );
  return <NextStep isAway={isAway} hide={hide} />;
}
