import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../shared/boot.js';
import { prefetchQuery, useRead, type RowOf } from '../../shared/data.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { AppLink, PageHead } from '../../shared/parts.js';
import { t, word } from '../../shared/texts.js';
import { recordFilters, statusFilter } from '../people.js';
import { RunningPayouts } from './running.js';
import { PayoutStatus } from './status.js';

type Row = RowOf<'payouts.list'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'title',
    label: t('Payout'),
    of: 'title',
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <AppLink href={`/payouts/${row.id}`}>{row.title}</AppLink>
      </span>
    ),
  },
  { key: 'status', label: t('Status'), of: 'status', cell: (row) => <PayoutStatus payout={row} /> },
  {
    key: 'method',
    label: t('Method'),
    cell: (row) => `${word(row.payout_method)}${row.sandbox ? ` (${t('Sandbox')})` : ''}`,
  },
  { key: 'people', label: t('Affiliates'), of: 'affiliates_count', kind: 'number' },
  { key: 'referrals', label: t('Commissions'), of: 'referrals_count', kind: 'number' },
  { key: 'amount', label: t('Total'), of: 'total_amount', strong: true },
  { key: 'created', label: t('Created'), of: 'created_at' },
];

export function Payouts(): ReactNode {
  const may = useMay('payouts', 'write');
  const create = may && (
    <Button component={Link} href="/payouts/new" leftSection={<IconPlus size={16} />}>
      {t('New payout')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t('Payouts')}
        about={t('Payments to many affiliates at once, sent through a payer or marked as paid by you.')}
        actions={create}
      />
      <RunningPayouts />
      <List
        name="payouts"
        operation="payouts.list"
        exportOf="payouts.list_export"
        record="payouts"
        columns={columns()}
        href={(row) => `/payouts/${row.id}`}
        ahead={(row) => {
          void import('./detail.js');
          prefetchQuery('payouts.get', { params: { id: String(row.id) } });
        }}
        search={t('Search title')}
        filters={[statusFilter(['processing', 'paid']), ...recordFilters()]}
        totals={(_answer, query) => <Totals query={query} />}
        empty={{
          title: t('No payouts yet'),
          text: t('A payout collects all due commissions and tracks each payment until it’s paid.'),
          action: create,
        }}
      />
    </>
  );
}

/** Totals of the filtered payouts, and what is not marked as paid yet. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('payouts.totals', { query });
  return data?.totals.map(({ currency, amount, open_amount: open }) => (
    <span key={currency}>
      {t('{sum}, of which {open} is still open', {
        sum: money(amount, currency),
        open: money(open, currency),
      })}
    </span>
  ));
}
