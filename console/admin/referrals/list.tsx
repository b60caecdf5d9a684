import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { send, useMay } from '../../shared/boot.js';
import { readAhead, useRead, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { List, type BulkAction, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { Counted, StateMark, stateChoices } from '../../shared/money-states.js';
import { AddressTabs, AppLink, PageHead } from '../../shared/parts.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { DialogSum } from '../../shared/sums.js';
import { number, t, tn } from '../../shared/texts.js';
import { nameOf, recordFilters } from '../people.js';
import { reasonText } from '../reasons.js';
import { referralName } from './name.js';
import { NewReferral } from './new.js';

type Row = RowOf<'referrals.list'>;
type StaleRow = RowOf<'referrals.stale'>;
type Any = Pick<StaleRow, Extract<keyof StaleRow, keyof Row>>;

const columns = (): readonly Column<Any>[] => [
  {
    key: 'what',
    label: t('Referral'),
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <AppLink href={`/referrals/${row.id}`}>{referralName(row)}</AppLink>
      </span>
    ),
  },
  { key: 'state', label: t('Status'), of: 'status', cell: (row) => <StateMark of={row.state} /> },
  {
    key: 'affiliate',
    label: t('Affiliate'),
    cell: (row) =>
      row.affiliate ? (
        <AppLink href={`/affiliates/${row.affiliate.id}`}>{nameOf(row.affiliate)}</AppLink>
      ) : (
        <span className="fa-faint">{t('Removed')}</span>
      ),
  },
  { key: 'shop', label: t('Shop'), of: 'provider', extra: true, cell: (row) => row.provider ?? '—' },
  {
    key: 'order_id',
    label: t('Order number'),
    of: 'provider_id',
    extra: true,
    cell: (row) => (row.provider_id === null ? '—' : String(row.provider_id)),
  },
  { key: 'campaign', label: t('Campaign'), extra: true, cell: (row) => row.utm_campaign || '—' },
  subIdColumn(),
  {
    key: 'order',
    label: t('Order value'),
    of: 'order_total',
    cell: (row) => <Money amount={row.order_total} currency={row.currency} />,
  },
  {
    key: 'amount',
    label: t('Commission'),
    of: 'amount',
    cell: (row) => (
      <strong>
        <Counted of={row} />
      </strong>
    ),
  },
  {
    key: 'created',
    label: t('Date'),
    of: 'created_at',
    cell: (row) => <When at={row.created_at} />,
  },
];

const setStatus = (row: Any, status: 'pending' | 'unpaid' | 'rejected'): Promise<unknown> =>
  send('referrals.update', { params: { id: row.id }, body: { status } });
const isOpen = ({ status }: Any): boolean => ['pending', 'unpaid', 'rejected'].includes(status);

const bulk = (): readonly BulkAction<Any>[] => [
  {
    label: t('Approve'),
    fits: ({ status }) => status === 'pending' || status === 'rejected',
    about: (rows) => (
      <DialogSum of={rows}>
        {tn('{count} commission becomes payable.', '{count} commissions become payable.', rows.length)}
      </DialogSum>
    ),
    run: (row) => setStatus(row, 'unpaid'),
  },
  {
    label: t('Reject'),
    danger: true,
    fits: (row) => isOpen(row) && row.status !== 'rejected',
    about: (rows) => (
      <DialogSum of={rows}>
        {tn(
          '{count} commission is not paid. It can be approved again.',
          '{count} commissions are not paid. They can be approved again.',
          rows.length,
        )}
      </DialogSum>
    ),
    run: (row) => setStatus(row, 'rejected'),
  },
  {
    label: t('Delete'),
    danger: true,
    fits: isOpen,
    about: (rows) => (
      <DialogSum of={rows}>
        {tn('{count} referral is removed for good.', '{count} referrals are removed for good.', rows.length)}
      </DialogSum>
    ),
    run: (row) => send('referrals.delete', { params: { id: row.id } }),
  },
];

export function Referrals(): ReactNode {
  const may = useMay('referrals', 'write');
  const [opened, setOpened] = useOpened();
  const creating = may && opened === 'new';
  const close = (): void => setOpened(null);
  const common = {
    rowKey: (row: Any) => row.id,
    rowName: referralName,
    href: (row: Any) => `/referrals/${row.id}`,
    ahead: (row: Any) => {
      void import('./detail.js');
      readAhead('referrals.get', { params: { id: String(row.id) } });
    },
    bulk: may ? bulk() : [],
  };
  return (
    <>
      <PageHead
        title={t('Referrals')}
        about={t('Orders that affiliates brought, and the commission of each.')}
        actions={
          may && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
              {t('New referral')}
            </Button>
          )
        }
      />
      <AddressTabs
        tabs={[
          {
            key: 'all',
            label: t('All'),
            content: () => (
              <List
                name="referrals"
                operation="referrals.list"
                record="referrals"
                columns={columns()}
                {...common}
                search={t('Search order, text or affiliate')}
                filters={[
                  {
                    key: 'state',
                    label: t('Status'),
                    several: true,
                    choices: stateChoices(),
                  },
                  ...recordFilters(),
                  ...subIdFilters(),
                ]}
                totals={(_answer, query) => <Totals query={query} />}
                exportOf="referrals.export"
                empty={{
                  title: t('No referrals yet'),
                  text: t('A referral appears when somebody buys after a click on an affiliate link.'),
                }}
              />
            ),
          },
          {
            key: 'stale',
            label: t('Waiting too long'),
            content: () => (
              <List
                name="stale"
                operation="referrals.stale"
                columns={[
                  ...columns().slice(0, 3),
                  { key: 'waits', label: t('Waits for'), cell: (row) => reasonText(row.waits_for) },
                  { key: 'days', label: t('Days'), end: true, cell: (row) => number(row.days) },
                  ...columns().slice(-2),
                ]}
                {...common}
                filters={recordFilters()}
                empty={{
                  title: t('Nothing waits too long'),
                  text: t(
                    'Commissions that stay pending for longer than usual are listed here with what they wait for.',
                  ),
                }}
              />
            ),
          },
        ]}
      />
      <NewReferral opened={creating} onClose={close} />
    </>
  );
}

/** Commissions and order values of what is filtered. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('referrals.totals', { query });
  return data?.totals.map(({ currency, counted_amount: amount, order_total: orders }) => (
    <span key={currency}>
      {t('{commissions} commission on {orders} of orders', {
        commissions: money(amount, currency),
        orders: money(orders, currency),
      })}
    </span>
  ));
}
