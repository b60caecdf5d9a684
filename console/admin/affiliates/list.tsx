import { Button } from '@mantine/core';
import { IconMail, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useOpened } from '../../shared/address.js';
import { send, useBoot, useMay } from '../../shared/boot.js';
import { readAhead, useRead, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { List, type BulkAction, type Column } from '../../shared/list.js';
import { Money, money } from '../../shared/money.js';
import { MONEY_STATES, stateText } from '../../shared/money-states.js';
import { PageHead, Person, Status } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';
import { affiliateStatuses, dayFilters, groupFilter, nameOf } from '../people.js';
import { rateText } from '../rates.js';
import { saveChosen } from '../messages/chosen.js';
import { NewAffiliate } from './new.js';

// Opened rarely.
const GroupDialog = lazy(async () => ({ default: (await import('./bulk.js')).GroupDialog }));
const RateDialog = lazy(async () => ({ default: (await import('./bulk.js')).RateDialog }));

type Row = RowOf<'affiliates.list'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'name',
    label: t('Affiliate'),
    head: true,
    cell: (row) => (
      <Person
        name={nameOf(row)}
        about={row.user?.user_email ?? ''}
        avatar={row.user?.photo ?? ''}
        href={`/affiliates/${row.id}`}
      />
    ),
  },
  { key: 'status', label: t('Status'), of: 'status', cell: ({ status }) => <Status of={status} /> },
  {
    key: 'rate',
    label: t('Rate'),
    of: ['rate', 'rate_type'],
    end: false,
    cell: ({ rate_details: rate }) => <RateText rate={rate} />,
  },
  {
    key: 'unpaid',
    label: stateText('payable'),
    of: 'unpaid_earnings',
    cell: (row) => <States of={row} />,
  },
  {
    key: 'earned',
    label: t('Earned'),
    of: 'total_earnings',
    cell: (row) => <Money amount={row.total_earnings} />,
  },
  {
    key: 'referrals',
    label: t('Referrals'),
    of: 'referrals',
    cell: (row) => <span className="fa-number">{number(row.referrals)}</span>,
  },
  {
    key: 'visits',
    label: t('Clicks'),
    of: 'visits',
    cell: (row) => <span className="fa-number">{number(row.visits)}</span>,
  },
  {
    key: 'created',
    label: t('Joined'),
    of: 'created_at',
    cell: (row) => <When at={row.created_at} />,
  },
  {
    key: 'id',
    label: t('Id'),
    of: 'id',
    extra: true,
    cell: (row) => <span className="fa-number">{row.id}</span>,
  },
  {
    key: 'payment',
    label: t('Payment e-mail'),
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
  {
    key: 'param',
    label: t('Link name'),
    of: 'custom_param',
    extra: true,
    cell: (row) => row.custom_param ?? '—',
  },
];

export const RateText = ({ rate }: { rate: Row['rate_details'] }): ReactNode => (
  <span>
    {rateText(rate)}{' '}
    <span className="fa-faint">
      {rate.is_custom === 'yes' ? t('custom') : rate.is_default === 'yes' ? '' : t('group')}
    </span>
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
      tn('{count} application is turned down.', '{count} applications are turned down.', rows.length),
    reason: { label: t('Reason, sent to the applicant by mail') },
    run: (row, reason) => changeStatus(row, 'inactive', reason),
  },
  {
    label: t('Deactivate'),
    danger: true,
    fits: ({ status }) => status === 'active',
    about: (rows) =>
      tn(
        'The links of {count} affiliate no longer count. What was earned stays.',
        'The links of {count} affiliates no longer count. What was earned stays.',
        rows.length,
      ),
    run: (row) => changeStatus(row, 'inactive'),
    undo: (row) => changeStatus(row, row.status),
  },
  {
    label: t('Group…'),
    about: () => '',
    dialog: (props) => (
      <Suspense>
        <GroupDialog {...props} />
      </Suspense>
    ),
    undo: ({ id, group_id: group }) =>
      send('affiliates.update', {
        params: { id },
        body: { group_id: group === null ? null : Number(group) },
      }),
  },
  {
    label: t('Rate…'),
    about: () => '',
    dialog: (props) => (
      <Suspense>
        <RateDialog {...props} />
      </Suspense>
    ),
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
  const [opened, setOpened] = useOpened();
  const creating = may && opened === 'new';
  const close = (): void => setOpened(null);
  const { messages } = useBoot().rights;
  const [, go] = useLocation();
  const writing: BulkAction<Row> = {
    label: t('Write'),
    fits: ({ status }) => status === 'active',
    about: () => '',
    go: (rows) => go(`/messages?open=new&to=${saveChosen(rows.map(({ id }) => id))}`),
  };
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
      {t('New affiliate')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t('Affiliates')}
        about={t('The people who bring buyers, what they earned and what is owed to them.')}
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
        rowKey={(row) => row.id}
        rowName={nameOf}
        href={(row) => `/affiliates/${row.id}`}
        ahead={(row) => {
          void import('./detail.js');
          readAhead('affiliates.get', { params: { id: String(row.id) } });
        }}
        search={t('Search name, e-mail or id')}
        filters={[
          { key: 'status', label: t('Status'), choices: affiliateStatuses(), several: true },
          groupFilter(),
          {
            key: 'unpaid_earnings',
            label: t('Ready to pay or in the waiting period'),
            compare: true,
          },
          { key: 'total_earnings', label: t('Earned'), compare: true },
          { key: 'referrals', label: t('Referrals'), compare: true },
          { key: 'visits', label: t('Clicks'), compare: true },
          { key: 'payment_email', label: t('Payment e-mail'), contains: true, kind: 'text' },
          {
            key: 'asks_deletion',
            label: t('Asks for deletion'),
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
      <NewAffiliate opened={creating} onClose={close} />
    </>
  );
}

/** What is ready to pay in each currency, and what waits. */
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

/** Where the money of all who are filtered is. */
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
