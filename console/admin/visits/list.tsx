import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, type RowOf } from '../../shared/data.js';
import { dayText, siteDay, DateTime } from '../../shared/dates.js';
import { choicesIn } from '../../shared/filters.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { AddressTabs, AppLink, PageHead, Panel, Clip } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { AffiliateLink, AffiliateOf, recordFilters } from '../people.js';
import { reasonText } from '../reasons.js';

type Row = RowOf<'visits.list'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'page',
    label: t('Page'),
    head: true,
    cell: (row) => <Clip whole={row.url}>{pathOf(row.url)}</Clip>,
  },
  { key: 'affiliate', label: t('Affiliate'), cell: (row) => <AffiliateOf of={row.affiliate} /> },
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
  { key: 'source', label: t('Source'), of: 'utm_source', extra: true },
  { key: 'medium', label: t('Medium'), of: 'utm_medium', extra: true },
  subIdColumn(),
  { key: 'ip', label: t('Address'), extra: true, cell: (row) => row.ip || '—' },
  {
    key: 'led',
    label: t('Result'),
    cell: ({ referrals: [first] }) =>
      first ? (
        <AppLink href={`/referrals/${first.id}`}>{money(first.amount, first.currency)}</AppLink>
      ) : (
        <span className="fa-faint">—</span>
      ),
  },
  { key: 'created', label: t('Date'), of: 'created_at' },
];

export function Visits(): ReactNode {
  const { rights } = useBoot();
  return (
    <>
      <PageHead
        title={t('Clicks')}
        about={t('Clicks on affiliate links, with their source, page and orders.')}
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
                search={t('Search page, campaign, referrer or affiliate')}
                filters={[
                  {
                    key: 'convert_status',
                    label: t('Result'),
                    choices: choicesIn({ converted: t('Converted'), not_converted: t('Not converted') }),
                  },
                  ...recordFilters(),
                  ...subIdFilters(),
                ]}
                exportOf="visits.export"
                totals={(_answer, query) => <Totals query={query} />}
                empty={{ title: t('No clicks yet'), text: t('Clicks on affiliate links appear here.') }}
              />
            ),
          },
          rights.settings && { key: 'skipped', label: t('Not counted'), content: () => <NotCounted /> },
        ]}
      />
    </>
  );
}

/** Conversion rate of the filtered clicks. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('visits.totals', { query });
  if (data === undefined) return null;
  const { count, converted_count: converted } = data.totals;
  return t('{count} converted ({share})', {
    count: number(converted),
    share: percent(count === 0 ? 0 : converted / count),
  });
}

const lastMonth = (): { start_date: string; end_date: string; per_page: number } => ({
  start_date: siteDay(-29),
  end_date: siteDay(),
  per_page: 20,
});

/** Clicks and orders that were not counted, per day and reason. */
function NotCounted(): ReactNode {
  type OrderRow = RowOf<'settings.tracking_skipped'>;
  const orderColumns: readonly Column<OrderRow>[] = [
    {
      key: 'order',
      label: t('Order'),
      head: true,
      cell: (row) => <span className="fa-strong">{row.provider_id}</span>,
    },
    {
      key: 'affiliate',
      label: t('Affiliate'),
      cell: ({ affiliate_id: id }) => (id === null ? '—' : <AffiliateLink id={id} />),
    },
    { key: 'shop', label: t('Shop'), cell: (row) => row.provider },
    { key: 'why', label: t('Reason'), cell: (row) => reasonText(row.reason) },
    { key: 'created', label: t('Date'), end: true, cell: (row) => <DateTime at={row.created_at} /> },
  ];
  return (
    <div className="fa-stack">
      <Panel
        title={t('Clicks of the last 30 days')}
        about={t('Clicks that weren’t counted, with the reason.')}
        flush
      >
        <QueryView of="settings.tracking_skipped" input={{ query: lastMonth() }}>
          {({ clicks }) => (
            <Sheet
              plain
              rows={clicks}
              rowKey={({ day, reason }) => day + reason}
              columns={[
                { label: t('Day'), cell: ({ day }) => <time dateTime={day}>{dayText(day)}</time> },
                { label: t('Reason'), cell: ({ reason }) => reasonText(reason) },
                { label: t('Clicks'), number: true, cell: ({ hits }) => number(hits) },
              ]}
              empty={{ title: t('Every click was counted') }}
            />
          )}
        </QueryView>
      </Panel>
      <Panel
        title={t('Orders without an affiliate')}
        about={t('Orders of the last 30 days without an affiliate link or coupon.')}
        flush
      >
        <QueryView of="settings.tracking_skipped" input={{ query: lastMonth() }}>
          {({ orders }) => (
            <Sheet
              plain
              rows={orders}
              rowKey={({ day, reason }) => day + reason}
              columns={[
                { label: t('Day'), cell: ({ day }) => <time dateTime={day}>{dayText(day)}</time> },
                { label: t('Reason'), cell: ({ reason }) => reasonText(reason) },
                { label: t('Orders'), number: true, cell: ({ hits }) => number(hits) },
              ]}
              empty={{ title: t('Every order had an affiliate') }}
            />
          )}
        </QueryView>
      </Panel>
      <Panel
        title={t('Rejected orders')}
        about={t('Orders of an affiliate that earned nothing, and why.')}
        flush
      >
        <List
          name="skipped-orders"
          operation="settings.tracking_skipped"
          prefix="o"
          columns={orderColumns}
          search={false}
          filters={[
            { key: 'provider', label: t('Shop'), kind: 'text' },
            { key: 'start_date', label: t('From day'), kind: 'day' },
            { key: 'end_date', label: t('Until day'), kind: 'day' },
          ]}
          empty={{ title: t('No order was rejected') }}
        />
      </Panel>
    </div>
  );
}
