import type { Db, Row } from '../../platform/database/db.js';

const SLOT_MS = 15 * 60_000;
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
): Promise<{ readonly at: number; readonly amount: number }[]> {
  const slot = db.dialect.slot('created_at', SLOT_MS);
  const rows = await db.raw(
    `select ${slot} as slot, sum(amount_minor) as amount from ${db.name('referrals')} ` +
      "where status in ('paid', 'unpaid') and created_at >= ? and created_at < ? " +
      `and (currency is null or currency = ?) group by ${slot}`,
    [from, to, currency],
  );
  return rows.map((row) => ({ at: Number(row['slot']) * SLOT_MS, amount: Number(row['amount']) }));
}

const nameOf = (row: Row): string => String(row['name']);

/** Most clicks first; a blank name means none. */
export async function campaignClicks(
  db: Db,
  { from, to }: Span,
): Promise<{ readonly name: string; readonly clicks: number }[]> {
  const name = "coalesce(utm_campaign, '')";
  const rows = await db.raw(
    `select ${name} as name, count(*) as clicks from ${db.name('visits')} ` +
      `where created_at >= ? and created_at < ? group by ${name} order by count(*) desc, ${name} limit ${MOST}`,
    [from, to],
  );
  return rows.map((row) => ({
    name: nameOf(row),
    clicks: Number(row['clicks']),
  }));
}
