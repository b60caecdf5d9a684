import { Button } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { send, useBoot, useMay } from '../../shared/boot.js';
import { dayFilters } from '../../shared/filters.js';
import { prefetchQuery, useRead, type RowOf } from '../../shared/data.js';
import type { BulkAction } from '../../shared/bulk.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { MONEY_STATES, stateText } from '../../shared/money-states.js';
import { NewButton, UrlDialog } from '../../shared/url-dialog.js';
import { PageHead, Status } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';
import { AffiliatePerson, groupFilter, nameOf, statusFilter } from '../people.js';
import { rateSource, rateText } from '../rates.js';
import { saveSelection } from '../messages/selection.js';
import { NewAffiliate } from './new.js';

// Rarely opened, so loaded on demand.
const GroupDialog = lazyPart(() => import('./bulk.js'), 'GroupDialog');
const RateDialog = lazyPart(() => import('./bulk.js'), 'RateDialog');

type Row = RowOf<'affiliates.list'>;

const columns = (): readonly Column<Row>[] => [
  { key: 'name', label: t('Affiliate'), head: true, cell: (row) => <AffiliatePerson of={row} /> },
  { key: 'status', label: t('Status'), of: 'status', cell: ({ status }) => <Status of={status} /> },
  {
    key: 'rate',
    label: t('Rate'),
    of: ['rate', 'rate_type'],
    end: false,
    cell: (row) => <RateText of={row} />,
  },
  { key: 'unpaid', label: stateText('payable'), of: 'unpaid_earnings', cell: (row) => <States of={row} /> },
  { key: 'earned', label: t('Earned'), of: 'total_earnings' },
  { key: 'referrals', label: t('Commissions'), of: 'referrals' },
  { key: 'visits', label: t('Clicks'), of: 'visits' },
  { key: 'created', label: t('Joined'), of: 'created_at' },
  {
    key: 'id',
    label: t('Id'),
    of: 'id',
    extra: true,
    cell: (row) => <span className="fa-number">{row.id}</span>,
  },
  {
    key: 'payment',
    label: t('Payment email'),
    of: 'payment_email',
    extra: true,
    cell: (row) => row.payment_email,
  },
  {
    key: 'group',
    label: t('Group'),
    extra: true,
    cell: (row) => (row.group as { name?: string } | null)?.name ?? '—',
  },
  { key: 'param', label: t('Link name'), of: 'custom_param', extra: true },
];

const RateText = ({ of: { rate_details: rate, group } }: { of: Row }): ReactNode => (
  <span>
    {rateText(rate)} <span className="fa-faint">{rateSource(rate, group)}</span>
  </span>
);

const changeStatus = (row: Row, status: Row['status'], reason = ''): Promise<unknown> =>
  send('affiliates.status', {
    params: { id: row.id },
    body: { status, ...(reason !== '' && { reason }) },
  });

const bulk = (): readonly BulkAction<Row>[] => [
  {
    label: t('Approve'),
    fits: ({ status }) => status !== 'active',
    about: (rows) =>
      tn(
        '{count} affiliate becomes active and gets a mail.',
        '{count} affiliates become active and get a mail.',
        rows.length,
      ),
    run: (row) => changeStatus(row, 'active'),
  },
  {
    label: t('Reject'),
    danger: true,
    fits: ({ status }) => status === 'pending',
    about: (rows) =>
      tn('{count} application is turned down.', '{count} applications are rejected.', rows.length),
    reason: { label: t('Reason, sent to the applicant by mail') },
    run: (row, reason) => changeStatus(row, 'inactive', reason),
  },
  {
    label: t('Deactivate'),
    danger: true,
    fits: ({ status }) => status === 'active',
    about: (rows) =>
      tn(
        'The links of {count} affiliate no longer count. Earned commissions stay.',
        'The links of {count} affiliates no longer count. Earned commissions stay.',
        rows.length,
      ),
    run: (row) => changeStatus(row, 'inactive'),
    undo: (row) => changeStatus(row, row.status),
  },
  {
    label: t('Group…'),
    about: () => '',
    dialog: (props) => <GroupDialog {...props} />,
    undo: ({ id, group_id: group }) =>
      send('affiliates.update', {
        params: { id },
        body: { group_id: group === null ? null : Number(group) },
      }),
  },
  {
    label: t('Rate…'),
    about: () => '',
    dialog: (props) => <RateDialog {...props} />,
    undo: ({ id, rate_type, rate }) =>
      send('affiliates.update', {
        params: { id },
        body: {
          rate_type,
          ...((rate_type === 'percentage' || rate_type === 'flat') && rate !== null && { rate }),
        },
      }),
  },
];

export function Affiliates(): ReactNode {
  const may = useMay('affiliates', 'write');
  const { messages } = useBoot().rights;
  const [, go] = useLocation();
  const writing: BulkAction<Row> = {
    label: t('Write'),
    fits: ({ status }) => status === 'active',
    about: () => '',
    go: (rows) => go(`/messages?open=new&to=${saveSelection(rows.map(({ id }) => id))}`),
  };
  const create = may && <NewButton>{t('New affiliate')}</NewButton>;
  return (
    <>
      <PageHead
        title={t('Affiliates')}
        about={t('Your affiliates, their earnings and what you owe them.')}
        actions={
          <>
            {messages && (
              <Button
                variant="default"
                component={Link}
                href="/messages?tab=invitations&open=invite"
                leftSection={<IconMail size={16} />}
              >
                {t('Invite')}
              </Button>
            )}
            {create}
          </>
        }
      />
      <List
        name="affiliates"
        operation="affiliates.list"
        record="affiliates"
        columns={columns()}
        rowName={nameOf}
        href={(row) => `/affiliates/${row.id}`}
        ahead={(row) => {
          void import('./detail.js');
          prefetchQuery('affiliates.get', { params: { id: String(row.id) } });
        }}
        search={t('Search name, email or id')}
        filters={[
          { ...statusFilter(['active', 'pending', 'inactive']), several: true },
          groupFilter(),
          { key: 'unpaid_earnings', label: t('Ready to pay or in the waiting period'), compare: true },
          { key: 'total_earnings', label: t('Earned'), compare: true },
          { key: 'referrals', label: t('Commissions'), compare: true },
          { key: 'visits', label: t('Clicks'), compare: true },
          { key: 'payment_email', label: t('Payment email'), contains: true, kind: 'text' },
          {
            key: 'asks_deletion',
            label: t('Deletion requested'),
            choices: [{ value: 'yes', label: t('Yes') }],
          },
          ...dayFilters(),
        ]}
        totals={(_answer, query) => <Totals query={query} />}
        bulk={[...(may ? bulk() : []), ...(messages ? [writing] : [])]}
        exportOf="affiliates.export"
        empty={{
          title: t('No affiliates yet'),
          text: t('People apply on the sign-up page, or you add a user of your site yourself.'),
          action: create,
        }}
      />
      <UrlDialog name="new" may={may} title={t('New affiliate')} size="md">
        {(close) => <NewAffiliate onClose={close} />}
      </UrlDialog>
    </>
  );
}

/** Ready to pay and on hold, per currency. */
const States = ({ of: { balances } }: { of: Row }): ReactNode =>
  balances.map(({ currency, payable, waiting }, at) => (
    <span key={currency} className={at === 0 ? '' : 'fa-faint'}>
      {at > 0 && ' · '}
      <Money amount={payable} currency={currency} />
      {waiting !== 0 && (
        <span className="fa-faint fa-below-amount">
          {t('+ {amount} in the waiting period', { amount: money(waiting, currency) })}
        </span>
      )}
    </span>
  ));

/** Balances of all affiliates that match the filters. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('affiliates.totals', { query });
  return data?.totals.balances.map((balance) => (
    <span key={balance.currency}>
      {MONEY_STATES.filter((state) => state === 'payable' || balance[state] !== 0)
        .map((state) => `${stateText(state)}: ${money(balance[state], balance.currency)}`)
        .join(' · ')}
    </span>
  ));
}
