import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRead, type ResponseOf, type RowOf } from '../../shared/data.js';
import { bothZones, date, DateTime } from '../../shared/dates.js';
import { kindText } from '../../shared/entry-words.js';
import { dayFilters } from '../../shared/filters.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { CommissionAmount, StateMark, stateChoices } from '../../shared/money-states.js';
import { AddressTabs, AppLink, PageHead } from '../../shared/parts.js';
import { sentenceIn } from '../../shared/rewards.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { t, tn } from '../../shared/texts.js';
import { Statement } from './statement.js';
import { Note } from './note.js';
import { OrderName } from './order-name.js';
import { moneyStateOf, reasonText } from './words.js';

type Row = RowOf<'portal.earnings'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'what',
    label: t('Order'),
    head: true,
    card: 'name',
    cell: (row) => (
      <span className="fa-two-lines">
        <OrderName of={row} />
        <CommissionHistory row={row} />
      </span>
    ),
  },
  { key: 'when', label: t('Date'), card: 'date', cell: (row) => <DateTime at={row.created_at} /> },
  {
    key: 'campaign',
    label: t('Campaign'),
    extra: true,
    cell: (row) => row.utm_campaign ?? <span className="fa-faint">—</span>,
  },
  subIdColumn(),
  {
    key: 'state',
    label: t('Status'),
    card: 'state',
    cell: (row) => <StateMark of={moneyStateOf(row.state)} />,
  },
  {
    key: 'amount',
    label: t('Commission'),
    card: 'amount',
    end: true,
    cell: (row) => <CommissionAmount of={row} />,
  },
];

/** A link to ask about a commission. */
function ContactLink({ row }: { row: Row }): ReactNode {
  const contact = useRead('portal.terms', {}).data?.contact;
  if (!contact) return null;
  const subject = t('Commission {id}: {description}', { id: row.id, description: row.description });
  return <a href={`mailto:${contact}?subject=${encodeURIComponent(subject)}`}>{t('Ask about it')}</a>;
}

/** What happens next with a commission, or why it changed. */
function CommissionHistory({ row }: { row: Row }): ReactNode {
  const lines: ReactNode[] = row.changes
    .filter(() => row.state !== 'rejected' && row.type !== 'adjustment')
    .map((change) => (
      <span key={`${change.kind}${String(change.at)}`} data-hint={bothZones(change.at as string)}>
        {t('{what} on {day}: {amount}', {
          what: kindText(change.kind),
          day: date(change.at as string),
          amount: (change.amount > 0 ? '+' : '') + money(change.amount, row.currency),
        })}
      </span>
    ));
  for (const [at, sentences] of row.rules.entries())
    lines.unshift(<span key={`rule${at}`}>{sentenceIn(sentences)}</span>);
  if (row.state === 'rejected')
    lines.push(
      <span key="why">{row.explanation ?? reasonText(row.reason)}</span>,
      <ContactLink key="ask" row={row} />,
    );
  if (row.state === 'on_hold' && row.release_at !== null)
    lines.push(
      <span key="release" data-hint={bothZones(row.release_at)}>
        {t('Can be paid from {day}', { day: date(row.release_at) })}
      </span>,
    );
  if (row.state === 'in_review')
    lines.push(<span key="review">{t('Waits until the order is paid or checked')}</span>);
  if ((row.state === 'paid' || row.state === 'on_its_way') && row.payment_id !== null)
    lines.push(
      <Link key="payment" href={`/payments/${String(row.payment_id)}`}>
        {t('See the payment')}
      </Link>,
    );
  return (
    <span className="fa-faint fa-story">
      {lines}
      <Note of={row} />
    </span>
  );
}

export const Earnings = (): ReactNode => (
  <>
    <PageHead title={t('Earnings')} about={t('Your commissions, their status and when they can be paid.')} />
    <AddressTabs
      tabs={[
        { key: 'commissions', label: t('Commissions'), content: () => <Commissions /> },
        { key: 'statement', label: t('Balance statement'), content: () => <Statement /> },
      ]}
    />
  </>
);

const Commissions = (): ReactNode => (
  <List
    name="portal-earnings"
    operation="portal.earnings"
    columns={columns()}
    search={t('Search orders and campaigns')}
    filters={[
      { key: 'state', label: t('Status'), choices: stateChoices() },
      ...subIdFilters(),
      ...dayFilters(),
    ]}
    totals={(response) => <Totals totals={response.totals} />}
    empty={{
      title: t('No commissions yet'),
      text: t('Commissions from orders through your links appear here.'),
      action: <AppLink href="/links">{t('Create a link')}</AppLink>,
    }}
  />
);

const Totals = ({ totals }: { totals: ResponseOf<'portal.earnings'>['totals'] }): ReactNode => (
  <span>
    {totals
      .map(({ amount, currency, count }) =>
        tn('{count} commission: {sum}', '{count} commissions: {sum}', count, {
          sum: money(amount, currency),
        }),
      )
      .join(' · ')}
  </span>
);
