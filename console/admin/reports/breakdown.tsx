import { Button, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { Chart, type Series } from '../../shared/chart.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { AppLink, Change, Empty, Figures, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { SUB_IDS, subIdName, type SubId } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { useRange, type Range } from '../overview/range.js';
import { amountCell, ofDays, shareCell, TableFileButton } from './file.js';

type Grouping = 'campaigns' | 'shops' | 'products' | 'affiliates' | 'groups' | SubId;
type BreakdownResponse = ResponseOf<'reports.breakdown'>;
type Row = BreakdownResponse['rows'][number];

const HEADS: Readonly<Partial<Record<Grouping, () => string>>> = {
  campaigns: () => t('Campaign'),
  shops: () => t('Shop'),
  products: () => t('Product'),
  affiliates: () => t('Affiliate'),
  groups: () => t('Group'),
};
const NAMELESS: Readonly<Partial<Record<Grouping, () => string>>> = {
  campaigns: () => t('No campaign'),
  shops: () => t('By hand'),
  products: () => t('Unnamed'),
  affiliates: () => t('Removed'),
  groups: () => t('No group'),
};
const headOf = (by: Grouping): string => HEADS[by]?.() ?? subIdName(by as SubId);
const namelessOf = (by: Grouping): string => NAMELESS[by]?.() ?? t('No sub ID');
const PATHS: Readonly<Partial<Record<Grouping, string>>> = { affiliates: '/affiliates/', groups: '/groups/' };

/** Results of the selected days compared with the previous period; the selected row is charted per day. */
export function Breakdown({ by }: { by: Grouping }): ReactNode {
  const address = useAddress();
  const of = address.get('of');
  const { range, before, picker } = useRange({ compares: true });
  const days = { start_date: range.from, end_date: range.to };
  const chosen = of === '' ? {} : { of };
  const then = useRead('reports.breakdown', {
    query: { by, start_date: before.from, end_date: before.to, ...chosen },
  });
  const query = { by, ...days, ...chosen };
  const now = useRead('reports.breakdown', { query }, { keep: false });
  const isRead = now.data !== undefined && then.data !== undefined && !then.isPlaceholderData;
  return (
    <div className="fa-stack">
      {picker(
        <TableFileButton
          name={by}
          days={range}
          rows={isRead ? fileRows(by, { range, before, found: now.data, earlier: then.data }) : null}
        />,
      )}
      <QueryView of="reports.breakdown" input={{ query }}>
        {(found) =>
          found.rows.length === 0 ? (
            <Panel>
              <Empty title={t('Nothing in this time')} text={t('Select more days to see earnings.')} />
            </Panel>
          ) : (
            <>
              <Sums found={found} earlier={then.data} />
              <DailyChart
                by={by}
                of={of}
                found={found}
                earlier={then.data}
                onClose={() => address.set({ of: null })}
              />
              <Rows by={by} found={found} earlier={then.data} onChoose={(key) => address.set({ of: key })} />
            </>
          )
        }
      </QueryView>
    </div>
  );
}

/** The breakdown by the selected sub ID. */
export function SubIdBreakdown(): ReactNode {
  const address = useAddress();
  const by = SUB_IDS.find((name) => name === address.get('sub')) ?? 'sub1';
  return (
    <div className="fa-stack">
      <SegmentedControl
        size="xs"
        className="fa-start"
        aria-label={t('Sub ID')}
        value={by}
        onChange={(value) => address.set({ sub: value === 'sub1' ? null : value, of: null })}
        data={SUB_IDS.map((name) => ({ value: name, label: name.slice(3) }))}
      />
      <Breakdown by={by} />
    </div>
  );
}

const sum = (
  rows: readonly Row[] | undefined,
  key: 'clicks' | 'orders' | 'earnings' | 'order_total',
): number => (rows ?? []).reduce((total, row) => total + (row[key] ?? 0), 0);
const changeOf = (value: number, past: number): number | null => (past === 0 ? null : (value - past) / past);

function Sums({
  found,
  earlier,
}: {
  found: BreakdownResponse;
  earlier: BreakdownResponse | undefined;
}): ReactNode {
  const figure = (
    label: string,
    key: 'clicks' | 'orders' | 'earnings' | 'order_total',
    text: (value: number) => string,
  ): { label: string; value: string; change: number | null; note: string } => {
    const [value, past] = [sum(found.rows, key), sum(earlier?.rows, key)];
    return {
      label,
      value: text(value),
      change: changeOf(value, past),
      note: t('before: {value}', { value: text(past) }),
    };
  };
  const amount = (value: number): string => money(value, found.currency);
  const counted = found.rows.some(({ clicks }) => clicks !== null);
  return (
    <Figures
      figures={[
        ...(counted ? [figure(t('Clicks'), 'clicks', number)] : []),
        figure(t('Orders'), 'orders', number),
        figure(t('Order value'), 'order_total', amount),
        figure(t('Earned'), 'earnings', amount),
      ]}
    />
  );
}

/** The table of the page, with the days of its values. */
function fileRows(
  by: Grouping,
  {
    range,
    before,
    found,
    earlier,
  }: {
    readonly range: Range;
    readonly before: Range;
    readonly found: BreakdownResponse;
    readonly earlier: BreakdownResponse;
  },
): string[][] {
  const { rows, currency } = found;
  const old = new Map(earlier.rows.map(({ key, earnings }) => [key, earnings]));
  const counted = rows.some(({ clicks }) => clicks !== null);
  const head = [
    headOf(by),
    ...(counted ? [t('Clicks'), t('Conversion')] : []),
    t('Orders'),
    t('Order value'),
    t('Earned'),
    ofDays(t('Before'), before),
    t('Change'),
    t('Currency'),
    t('From'),
    t('Until'),
  ];
  const cells = rows.map(({ key, name, clicks, orders, order_total: total, earnings }) => {
    const past = old.get(key) ?? 0;
    return [
      name === '' ? namelessOf(by) : name,
      ...(counted ? [String(clicks ?? 0), shareCell(clicks ? orders / clicks : null)] : []),
      String(orders),
      amountCell(total, currency),
      amountCell(earnings, currency),
      amountCell(past, currency),
      shareCell(changeOf(earnings, past)),
      currency,
      range.from,
      range.to,
    ];
  });
  return [head, ...cells];
}

const Detail = ({ by, id }: { by: Grouping; id: string }): ReactNode =>
  PATHS[by] !== undefined && <AppLink href={PATHS[by] + id}>{t('Open')}</AppLink>;

const line = (
  name: string,
  values: readonly number[],
  old: readonly number[] | null | undefined,
): Series => ({ name, values, ...(old && { before: values.map((_, at) => old[at] ?? 0) }) });

/** Daily values of the selected row. */
function DailyChart({
  by,
  of,
  found,
  earlier,
  onClose,
}: {
  by: Grouping;
  of: string;
  found: BreakdownResponse;
  earlier: BreakdownResponse | undefined;
  onClose: () => void;
}): ReactNode {
  if (of === '' || found.course === null) return null;
  const { labels, earnings, orders, clicks } = found.course;
  const row = found.rows.find(({ key }) => key === of);
  const title = row?.name || namelessOf(by);
  const past = earlier?.course;
  return (
    <Panel
      title={title}
      actions={
        <>
          {row?.name && <Detail by={by} id={of} />}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
            {t('Close')}
          </Button>
        </>
      }
    >
      <Chart
        title={t('{name}: earned', { name: title })}
        height={180}
        labels={labels}
        series={[{ ...line(t('Earned'), earnings, past?.earnings), money: true }]}
      />
      <Chart
        title={t('{name}: clicks and orders', { name: title })}
        height={160}
        labels={labels}
        series={[
          line(t('Orders'), orders, past?.orders),
          ...(clicks === null ? [] : [line(t('Clicks'), clicks, past?.clicks)]),
        ]}
      />
    </Panel>
  );
}

function Rows({
  by,
  found: { rows, currency },
  earlier,
  onChoose,
}: {
  by: Grouping;
  found: BreakdownResponse;
  earlier: BreakdownResponse | undefined;
  onChoose: (key: string) => void;
}): ReactNode {
  const old = new Map(earlier?.rows.map(({ key, earnings }) => [key, earnings]));
  const counted = rows.some(({ clicks }) => clicks !== null);
  return (
    <Sheet
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        {
          label: headOf(by),
          cell: ({ key, name }) => (
            <button type="button" className="fa-plain fa-strong" onClick={() => onChoose(key)}>
              {name === '' ? <span className="fa-faint">{namelessOf(by)}</span> : name}
            </button>
          ),
        },
        ...(counted
          ? [
              { label: t('Clicks'), number: true, cell: ({ clicks }: Row) => number(clicks ?? 0) },
              {
                label: t('Conversion'),
                number: true,
                cell: ({ clicks, orders }: Row) => (clicks ? percent(orders / clicks) : '—'),
              },
            ]
          : []),
        { label: t('Orders'), number: true, cell: ({ orders }) => number(orders) },
        { label: t('Order value'), number: true, cell: ({ order_total: total }) => money(total, currency) },
        { label: t('Earned'), number: true, cell: ({ earnings }) => money(earnings, currency) },
        {
          label: t('Before'),
          number: true,
          faint: true,
          cell: ({ key }) => money(old.get(key) ?? 0, currency),
        },
        {
          label: t('Change'),
          number: true,
          cell: ({ key, earnings }) => <Change share={changeOf(earnings, old.get(key) ?? 0)} />,
        },
      ]}
    />
  );
}
