import type { ReactNode } from 'react';
import { send, useMay } from '../../shared/boot.js';
import { prefetchQuery, useRead, type RowOf } from '../../shared/data.js';
import type { BulkAction } from '../../shared/bulk.js';
import { List, type Column } from '../../shared/list.js';
import { CommissionAmount, StateMark, stateChoices } from '../../shared/money-states.js';
import { NewButton, UrlDialog } from '../../shared/url-dialog.js';
import { AddressTabs, AppLink, PageHead } from '../../shared/parts.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { DialogSum, sumText } from '../../shared/sums.js';
import { t, tn } from '../../shared/texts.js';
import { AffiliateOf, recordFilters } from '../people.js';
import { reasonText } from '../reasons.js';
import { earnedText, referralName } from './name.js';
import { NewReferral } from './new.js';

type Row = RowOf<'referrals.list'>;
type StaleRow = RowOf<'referrals.stale'>;
type Any = Pick<StaleRow, Extract<keyof StaleRow, keyof Row>>;

const columns = (): readonly Column<Any>[] => [
  {
    key: 'what',
    label: t('Commission'),
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <AppLink href={`/referrals/${row.id}`}>{referralName(row)}</AppLink>
        {row.provider_id !== null && <span className="fa-faint">{row.provider_id}</span>}
      </span>
    ),
  },
  { key: 'state', label: t('Status'), of: 'status', cell: (row) => <StateMark of={row.state} /> },
  {
    key: 'affiliate',
    label: t('Affiliate'),
    cell: (row) => <AffiliateOf of={row.affiliate} none={<span className="fa-faint">{t('Removed')}</span>} />,
  },
  { key: 'shop', label: t('Shop'), of: 'provider', extra: true },
  {
    key: 'order_id',
    label: t('Order number'),
    of: 'provider_id',
    extra: true,
    cell: (row) => (row.provider_id === null ? '—' : String(row.provider_id)),
  },
  { key: 'campaign', label: t('Campaign'), extra: true, cell: (row) => row.utm_campaign || '—' },
  subIdColumn(),
  { key: 'order', label: t('Order value'), of: 'order_total' },
  {
    key: 'amount',
    label: t('Commission'),
    of: 'amount',
    strong: true,
    cell: (row) => <CommissionAmount of={row} />,
  },
  { key: 'created', label: t('Date'), of: 'created_at' },
];

const setStatus = (
  row: Any,
  status: 'pending' | 'unpaid' | 'rejected',
  reason: { readonly reason?: string; readonly show_reason?: boolean } = {},
): Promise<unknown> => send('referrals.update', { params: { id: row.id }, body: { status, ...reason } });
const isOpen = ({ status }: Any): boolean => ['pending', 'unpaid', 'rejected'].includes(status);

const bulk = (): readonly BulkAction<Any>[] => [
  {
    label: t('Approve'),
    fits: ({ status }) => status === 'pending' || status === 'rejected',
    about: (rows) => (
      <DialogSum sum={sumText(rows)}>
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
      <DialogSum sum={sumText(rows)}>
        {tn(
          '{count} commission is not paid. It can be approved again.',
          '{count} commissions are not paid. They can be approved again.',
          rows.length,
        )}
      </DialogSum>
    ),
    reason: {
      label: t('Reason, stored with the order'),
      share: t('Show the reason to the affiliate'),
    },
    run: (row, reason, isShared) =>
      setStatus(row, 'rejected', reason === '' ? {} : { reason, show_reason: isShared }),
  },
  {
    label: t('Delete'),
    danger: true,
    fits: isOpen,
    about: (rows) => (
      <DialogSum sum={sumText(rows)}>
        {tn(
          '{count} referral is removed for good.',
          '{count} commissions are permanently deleted.',
          rows.length,
        )}
      </DialogSum>
    ),
    run: (row) => send('referrals.delete', { params: { id: row.id } }),
  },
];

export function Referrals(): ReactNode {
  const may = useMay('referrals', 'write');
  const common = {
    rowName: referralName,
    href: (row: Any) => `/referrals/${row.id}`,
    ahead: (row: Any) => {
      void import('./detail.js');
      prefetchQuery('referrals.get', { params: { id: String(row.id) } });
    },
    bulk: may ? bulk() : [],
  };
  return (
    <>
      <PageHead
        title={t('Commissions')}
        about={t('Orders from affiliates and their commissions.')}
        actions={may && <NewButton>{t('New commission')}</NewButton>}
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
                  { key: 'state', label: t('Status'), several: true, choices: stateChoices() },
                  ...recordFilters(),
                  ...subIdFilters(),
                ]}
                totals={(_answer, query) => <Totals query={query} />}
                exportOf="referrals.export"
                empty={{
                  title: t('No commissions yet'),
                  text: t('Orders that come through affiliate links appear here.'),
                }}
              />
            ),
          },
          {
            key: 'stale',
            label: t('On hold too long'),
            content: () => (
              <List
                name="stale"
                operation="referrals.stale"
                columns={[
                  ...columns().slice(0, 3),
                  { key: 'waits', label: t('Waits for'), cell: (row) => reasonText(row.waits_for) },
                  { key: 'days', label: t('Days'), of: 'days', kind: 'number' },
                  ...columns().slice(-2),
                ]}
                {...common}
                filters={recordFilters()}
                empty={{
                  title: t('Nothing is on hold too long'),
                  text: t('Commissions that stay on hold too long appear here with the reason.'),
                }}
              />
            ),
          },
        ]}
      />
      <UrlDialog name="new" may={may} title={t('New commission')}>
        {(close) => <NewReferral onClose={close} />}
      </UrlDialog>
    </>
  );
}

/** Totals of the filtered commissions. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('referrals.totals', { query });
  return data?.totals.map(({ currency, counted_amount: amount, order_total: orders }) => (
    <span key={currency}>{earnedText(amount, orders, currency)}</span>
  ));
}
