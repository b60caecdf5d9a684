import { QUARTER_HOUR } from '../../core/duration.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { Span } from './earned-queries.js';
import type { ColumnBreakdown, NameColumn } from './types.js';

/** The earnings of one part of the program; columns name the part. */
export interface Part {
  readonly of: readonly (string | null)[];
  readonly orders: number;
  readonly amount: number;
  readonly order_total: number;
}

/** The earnings of one part in a quarter of an hour. */
export interface Slot {
  readonly at: number;
  readonly orders: number;
  readonly amount: number;
}

/** The source of a breakdown: referrals `r`, and what has to be joined. */
interface Source {
  readonly columns: readonly string[];
  readonly join: (db: Db) => string;
  /** The column by which days are chosen. */
  readonly time: string;
}

const ofClicks = (column: NameColumn): Source => ({
  columns: [`coalesce(v.${column}, '')`],
  join: (db) => `join ${db.name('visits')} v on v.id = r.visit_id`,
  time: 'v.created_at',
});

const SOURCES: Readonly<Record<ColumnBreakdown, Source>> = {
  campaigns: ofClicks('utm_campaign'),
  sub1: ofClicks('sub1'),
  sub2: ofClicks('sub2'),
  sub3: ofClicks('sub3'),
  sub4: ofClicks('sub4'),
  sub5: ofClicks('sub5'),
  shops: {
    columns: ['case when r.site_id is null then r.provider end', 'r.site_id'],
    join: () => '',
    time: 'r.created_at',
  },
  affiliates: { columns: ['r.affiliate_id'], join: () => '', time: 'r.created_at' },
  groups: {
    columns: ['a.group_id'],
    join: (db) => `join ${db.name('affiliates')} a on a.id = r.affiliate_id`,
    time: 'r.created_at',
  },
};

/**
 * Orders count in every status and currency. Amounts are in the program's currency; value and earnings are
 * those of the same orders: paid, on their way or owed.
 */
const EARNING = "r.status in ('paid', 'unpaid') and (r.currency is null or r.currency = ?)";
const EARNED = `sum(case when ${EARNING} then r.amount_minor else 0 end)`;
const SUMS =
  "sum(case when r.type = 'adjustment' then 0 else 1 end) as orders, " +
  `${EARNED} as amount, sum(case when ${EARNING} then coalesce(r.order_total_minor, 0) else 0 end) as order_total`;

function fromWhere(db: Db, by: ColumnBreakdown): string {
  const { join, time } = SOURCES[by];
  return `from ${db.name('referrals')} r ${join(db)} where ${time} >= ? and ${time} < ?`;
}

/** Highest earnings first; with `among`, only parts whose first column has one of these values. */
export async function earnedParts(
  db: Db,
  by: ColumnBreakdown,
  { from, to, currency }: Span,
  { limit, among }: { readonly limit: number; readonly among?: readonly (number | string | null)[] },
): Promise<Part[]> {
  const { columns } = SOURCES[by];
  const named = columns.map((column, at) => `${column} as k${at}`).join(', ');
  const values = (among ?? []).filter((value) => value !== null);
  const any = [
    ...(values.length > 0 ? [`${columns[0]} in (${values.map(() => '?').join(', ')})`] : []),
    ...(among?.includes(null) ? [`${columns[0]} is null`] : []),
  ];
  const chosen = among === undefined ? '' : ` and (${any.join(' or ')})`;
  const rows = await db.raw(
    `select ${named}, ${SUMS} ${fromWhere(db, by)}${chosen} group by ${columns.join(', ')} ` +
      `order by amount desc, case when ${columns[0]} is null then 1 else 0 end, ${columns[0]} limit ${limit}`,
    [currency, currency, from, to, ...values],
  );
  return rows.map((row) => ({
    of: columns.map((_, at) => textOf(row, `k${at}`)),
    orders: Number(row['orders']),
    amount: Number(row['amount']),
    order_total: Number(row['order_total']),
  }));
}

/** One part by quarters of an hour: in every time zone, days begin at a full one. */
export async function earnedSlotsOf(
  db: Db,
  by: ColumnBreakdown,
  { from, to, currency }: Span,
  part: readonly (string | number | null)[],
): Promise<Slot[]> {
  const { columns, time } = SOURCES[by];
  const slot = db.dialect.slot(time, QUARTER_HOUR);
  const same = columns.map((column, at) => (part[at] === null ? `${column} is null` : `${column} = ?`));
  const rows = await db.raw(
    `select ${slot} as slot, ${SUMS} ${fromWhere(db, by)} and ${same.join(' and ')} group by ${slot}`,
    [currency, currency, from, to, ...part.filter((value) => value !== null)],
  );
  return rows.map((row) => ({
    at: Number(row['slot']) * QUARTER_HOUR,
    orders: Number(row['orders']),
    amount: Number(row['amount']),
  }));
}

/** Clicks with one name in this column by quarters of an hour. */
export async function namedSlots(
  db: Db,
  { from, to }: Span,
  { column, name }: { readonly column: NameColumn; readonly name: string },
): Promise<{ readonly at: number; readonly clicks: number }[]> {
  const slot = db.dialect.slot('created_at', QUARTER_HOUR);
  const rows = await db.raw(
    `select ${slot} as slot, count(*) as clicks from ${db.name('visits')} ` +
      `where created_at >= ? and created_at < ? and coalesce(${column}, '') = ? group by ${slot}`,
    [from, to, name],
  );
  return rows.map((row) => ({ at: Number(row['slot']) * QUARTER_HOUR, clicks: Number(row['clicks']) }));
}

/** The present group of each affiliate. */
export async function groupOfAffiliates(db: Db): Promise<ReadonlyMap<number, number | null>> {
  const rows: Row[] = await db('affiliates').select('id', 'group_id');
  return new Map(
    rows.map((row) => [Number(row['id']), row['group_id'] === null ? null : Number(row['group_id'])]),
  );
}

const textOf = (row: Row, name: string): string | null => (row[name] === null ? null : String(row[name]));
