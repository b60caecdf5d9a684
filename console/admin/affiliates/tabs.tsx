import type { ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { List, type Column } from '../../shared/list.js';
import { Money } from '../../shared/money.js';
import { CommissionAmount, StateMark, stateChoices } from '../../shared/money-states.js';
import { AppLink, Status, Clip } from '../../shared/parts.js';
import { subIdColumn } from '../../shared/sub-ids.js';
import { t, word } from '../../shared/texts.js';
import { statusFilter } from '../people.js';

const of = (id: string): { params: { id: string } } => ({ params: { id } });

export function AffiliateReferrals({ id }: { id: string }): ReactNode {
  type Row = RowOf<'affiliates.referrals'>;
  const columns: readonly Column<Row>[] = [
    {
      key: 'what',
      label: t('Commission'),
      head: true,
      cell: (row) => <AppLink href={`/referrals/${row.id}`}>{row.description || `#${row.id}`}</AppLink>,
    },
    { key: 'state', label: t('Status'), of: 'status', cell: (row) => <StateMark of={row.state} /> },
    {
      key: 'order',
      label: t('Order value'),
      end: true,
      cell: (row) => <Money amount={row.order_total} currency={row.currency} />,
    },
    { key: 'amount', label: t('Commission'), of: 'amount', cell: (row) => <CommissionAmount of={row} /> },
    { key: 'created', label: t('Date'), of: 'created_at' },
  ];
  return (
    <List
      name="affiliate-referrals"
      operation="affiliates.referrals"
      record="referrals"
      input={of(id)}
      columns={columns}
      href={(row) => `/referrals/${row.id}`}
      search={t('Search order or text')}
      filters={[{ key: 'state', label: t('Status'), choices: stateChoices() }]}
      empty={{
        title: t('No commissions yet'),
        text: t('Orders that come through this affiliate’s links appear here.'),
      }}
    />
  );
}

export function AffiliateVisits({ id }: { id: string }): ReactNode {
  type Row = RowOf<'affiliates.visits'>;
  const columns: readonly Column<Row>[] = [
    {
      key: 'page',
      label: t('Page'),
      head: true,
      cell: (row) => <Clip whole={row.url}>{pathOf(row.url)}</Clip>,
    },
    {
      key: 'from',
      label: t('Came from'),
      cell: (row) => <span className="fa-clip">{hostOf(row.referrer)}</span>,
    },
    {
      key: 'campaign',
      label: t('Campaign'),
      cell: (row) => row.utm_campaign || <span className="fa-faint">—</span>,
    },
    subIdColumn(),
    {
      key: 'led',
      label: t('Result'),
      cell: (row) =>
        row.referrals.length > 0 ? <Status of="converted" /> : <span className="fa-faint">—</span>,
    },
    { key: 'created', label: t('Date'), of: 'created_at' },
  ];
  return (
    <List
      name="affiliate-visits"
      operation="affiliates.visits"
      record="visits"
      input={of(id)}
      columns={columns}
      search={t('Search page, campaign or referrer')}
      filters={[
        {
          key: 'status',
          label: t('Result'),
          choices: choicesIn({ converted: t('Converted'), not_converted: t('Not converted') }),
        },
      ]}
      empty={{ title: t('No clicks yet'), text: t('Clicks on the links of this affiliate are listed here.') }}
    />
  );
}

export const pathOf = (url: string): string => {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return url;
  }
};
export const hostOf = (referrer: string | null): ReactNode => {
  if (!referrer) return <span className="fa-faint">{t('Direct')}</span>;
  try {
    return new URL(referrer).hostname.replace(/^www\./, '');
  } catch {
    return referrer;
  }
};

export function AffiliateTransactions({ id }: { id: string }): ReactNode {
  type Row = RowOf<'affiliates.transactions'>;
  const columns: readonly Column<Row>[] = [
    {
      key: 'payout',
      label: t('Payout'),
      head: true,
      cell: (row) =>
        row.payout ? <AppLink href={`/payouts/${row.payout_id}`}>{row.payout.title}</AppLink> : `#${row.id}`,
    },
    { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
    { key: 'method', label: t('Method'), cell: (row) => word(row.payout_method) },
    { key: 'referrals', label: t('Commissions'), of: 'referrals_count', kind: 'number' },
    {
      key: 'amount',
      label: t('Amount'),
      end: true,
      cell: (row) => <Money amount={row.total_amount} currency={row.currency} />,
    },
    { key: 'created', label: t('Date'), of: 'created_at' },
  ];
  return (
    <List
      name="affiliate-payments"
      operation="affiliates.transactions"
      record="transactions"
      input={of(id)}
      columns={columns}
      search={false}
      filters={[statusFilter(['processing', 'paid'])]}
      empty={{
        title: t('No payments'),
        text: t('Payments of payouts appear here. Undone ones are in the balance statement.'),
      }}
    />
  );
}
