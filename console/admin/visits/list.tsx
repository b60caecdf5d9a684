import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, type RowOf } from '../../shared/data.js';
import { dayText, siteDay, When } from '../../shared/dates.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { AddressTabs, Loaded, AppLink, Empty, PageHead, Panel } from '../../shared/parts.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { nameOf, recordFilters } from '../people.js';
import { reasonText } from '../reasons.js';

type Row = RowOf<'visits.list'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'page',
    label: t('Page'),
    head: true,
    cell: (row) => (
      <span className="fa-clip" title={row.url} dir="ltr">
        {pathOf(row.url)}
      </span>
    ),
  },
  {
    key: 'affiliate',
    label: t('Affiliate'),
    cell: (row) =>
      row.affiliate ? (
        <AppLink href={`/affiliates/${row.affiliate.id}`}>{nameOf(row.affiliate)}</AppLink>
      ) : (
        '—'
      ),
  },
  {
    key: 'from',
    label: t('Came from'),
    cell: (row) => (
      <span className="fa-clip" title={row.referrer ?? ''}>
        {hostOf(row.referrer)}
      </span>
    ),
  },
  {
    key: 'campaign',
    label: t('Campaign'),
    of: 'utm_campaign',
    cell: (row) => row.utm_campaign || <span className="fa-faint">—</span>,
  },
  { key: 'source', label: t('Source'), of: 'utm_source', extra: true, cell: (row) => row.utm_source || '—' },
  { key: 'medium', label: t('Medium'), of: 'utm_medium', extra: true, cell: (row) => row.utm_medium || '—' },
  subIdColumn(),
  { key: 'ip', label: t('Address'), extra: true, cell: (row) => row.ip || '—' },
  {
    key: 'led',
    label: t('Led to'),
    cell: ({ referrals: [first] }) =>
      first ? (
        <AppLink href={`/referrals/${first.id}`}>{money(first.amount, first.currency)}</AppLink>
      ) : (
        <span className="fa-faint">—</span>
      ),
  },
  {
    key: 'created',
    label: t('Date'),
    of: 'created_at',
    cell: (row) => <When at={row.created_at} />,
  },
];

export function Visits(): ReactNode {
  const { rights } = useBoot();
  return (
    <>
      <PageHead
        title={t('Visits')}
        about={t('Clicks on affiliate links: where they came from, where they went, and what they led to.')}
      />
      <AddressTabs
        tabs={[
          {
            key: 'counted',
            label: t('Counted'),
            content: () => (
              <List
                name="visits"
                operation="visits.list"
                record="visits"
                columns={columns()}
                rowKey={(row) => row.id}
                search={t('Search page, campaign, referrer or affiliate')}
                filters={[
                  {
                    key: 'convert_status',
                    label: t('Result'),
                    choices: [
                      { value: 'converted', label: t('Converted') },
                      { value: 'not_converted', label: t('Not converted') },
                    ],
                  },
                  ...recordFilters(),
                  ...subIdFilters(),
                ]}
                exportOf="visits.export"
                totals={(_answer, query) => <Totals query={query} />}
                empty={{
                  title: t('No clicks yet'),
                  text: t('As soon as somebody follows a link of an affiliate, the click is listed here.'),
                }}
              />
            ),
          },
          rights.settings && { key: 'skipped', label: t('Not counted'), content: () => <Skipped /> },
        ]}
      />
    </>
  );
}

/** How many of what is filtered led to an order. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('visits.totals', { query });
  if (data === undefined) return null;
  const { count, converted_count: converted } = data.totals;
  return t('{count} converted ({share})', {
    count: number(converted),
    share: percent(count === 0 ? 0 : converted / count),
  });
}

/** Clicks and orders that were left out, per day and reason. */
function Skipped(): ReactNode {
  const reading = useRead('settings.tracking_skipped', {
    query: { start_date: siteDay(-29), end_date: siteDay(), per_page: 20 },
  });
  type OrderRow = RowOf<'settings.tracking_skipped'>;
  const orderColumns: readonly Column<OrderRow>[] = [
    {
      key: 'order',
      label: t('Order'),
      head: true,
      cell: (row) => <span className="fa-strong">{row.provider_id}</span>,
    },
    { key: 'shop', label: t('Shop'), cell: (row) => row.provider },
    { key: 'why', label: t('Reason'), cell: (row) => reasonText(row.reason) },
    { key: 'created', label: t('Date'), end: true, cell: (row) => <When at={row.created_at} /> },
  ];
  return (
    <div className="fa-stack">
      <Panel
        title={t('Clicks of the last 30 days')}
        about={t('Clicks that were seen and deliberately not counted.')}
        flush
      >
        <Loaded of={reading}>
          {({ clicks }) =>
            clicks.length === 0 ? (
              <Empty title={t('Every click was counted')} />
            ) : (
              <div className="fa-table-frame fa-keep" tabIndex={0}>
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">{t('Day')}</th>
                      <th scope="col">{t('Reason')}</th>
                      <th scope="col" className="fa-end">
                        {t('Clicks')}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {clicks.map(({ day, reason, hits }) => (
                      <tr key={day + reason}>
                        <td>{dayText(day)}</td>
                        <td>{reasonText(reason)}</td>
                        <td className="fa-end fa-number">{number(hits)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </Panel>
      <Panel
        title={t('Orders without a commission')}
        about={t('Paid orders that nobody was credited for, and why.')}
        flush
      >
        <List
          name="skipped-orders"
          operation="settings.tracking_skipped"
          prefix="o"
          columns={orderColumns}
          rowKey={(row) => row.id}
          search={false}
          empty={{ title: t('No order was left out') }}
        />
      </Panel>
    </div>
  );
}
