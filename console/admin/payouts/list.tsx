import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../shared/boot.js';
import { readAhead, useRead, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { List, type Column } from '../../shared/list.js';
import { money, Money } from '../../shared/money.js';
import { AppLink, PageHead, statusText } from '../../shared/parts.js';
import { number, t, word } from '../../shared/texts.js';
import { recordFilters } from '../people.js';
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
  {
    key: 'people',
    label: t('Affiliates'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.affiliates_count)}</span>,
  },
  {
    key: 'referrals',
    label: t('Referrals'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.referrals_count)}</span>,
  },
  {
    key: 'amount',
    label: t('Total'),
    of: 'total_amount',
    cell: (row) => (
      <strong>
        <Money amount={row.total_amount} currency={row.currency} />
      </strong>
    ),
  },
  {
    key: 'created',
    label: t('Created'),
    of: 'created_at',
    cell: (row) => <When at={row.created_at} />,
  },
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
        rowKey={(row) => row.id}
        href={(row) => `/payouts/${row.id}`}
        ahead={(row) => {
          void import('./detail.js');
          readAhead('payouts.get', { params: { id: String(row.id) } });
        }}
        search={t('Search title')}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            choices: ['processing', 'paid'].map((value) => ({ value, label: statusText(value) })),
          },
          ...recordFilters(),
        ]}
        totals={(_answer, query) => <Totals query={query} />}
        empty={{
          title: t('No payouts yet'),
          text: t(
            'A payout collects everything that is due, shows it to you, and keeps track until each affiliate is paid.',
          ),
          action: create,
        }}
      />
    </>
  );
}

/** What the filtered payouts come to, and what of it is not marked as paid yet. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('payouts.totals', { query });
  return data?.totals.map(({ currency, amount, open_amount: open }) => (
    <span key={currency}>
      {t('{sum}, of which {open} still open', { sum: money(amount, currency), open: money(open, currency) })}
    </span>
  ));
}
