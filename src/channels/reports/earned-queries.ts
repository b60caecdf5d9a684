import { QUARTER_HOUR } from '../../core/duration.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { NameColumn } from './types.js';

const MOST = 100;

/** From one instant to another, which is not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly currency: string;
}

/** By quarters of an hour: in every time zone, days begin at a full one. */
export async function earnedSlots(
  db: Db,
  { from, to, currency }: Span,
): Promise<{ readonly at: number; readonly amount: number; readonly order_total: number }[]> {
  const slot = db.dialect.slot('created_at', QUARTER_HOUR);
  const rows = await db.raw(
    `select ${slot} as slot, sum(amount_minor) as amount, ` +
      `sum(coalesce(order_total_minor, 0)) as order_total from ${db.name('referrals')} ` +
      "where status in ('paid', 'unpaid') and created_at >= ? and created_at < ? " +
      `and (currency is null or currency = ?) group by ${slot}`,
    [from, to, currency],
  );
  return rows.map((row) => ({
    at: Number(row['slot']) * QUARTER_HOUR,
    amount: Number(row['amount']),
    order_total: Number(row['order_total']),
  }));
}

const nameOf = (row: Row): string => String(row['name']);

/** Clicks by the names in this column: these names, then the others with most clicks; a blank name means none. */
export async function namedClicks(
  db: Db,
  { from, to }: Span,
  { column, names }: { readonly column: NameColumn; readonly names: readonly string[] },
): Promise<{ readonly name: string; readonly clicks: number }[]> {
  const name = `coalesce(${column}, '')`;
  const first =
    names.length === 0 ? '' : `case when ${name} in (${names.map(() => '?').join(', ')}) then 0 else 1 end, `;
  const rows = await db.raw(
    `select ${name} as name, count(*) as clicks from ${db.name('visits')} ` +
      `where created_at >= ? and created_at < ? group by ${name} ` +
      `order by ${first}count(*) desc, ${name} limit ${names.length + MOST}`,
    [from, to, ...names],
  );
  return rows.map((row) => ({ name: nameOf(row), clicks: Number(row['clicks']) }));
}
