import type { Db } from '../../platform/database/db.js';

type Row = Record<string, number | string | null>;

const numberOf = (row: Row | undefined, column: string): number | null =>
  row?.[column] === null || row?.[column] === undefined ? null : Number(row[column]);

/** When the last click was stored; null for none. */
export async function newestVisit(db: Db): Promise<number | null> {
  const row: Row | undefined = await db('visits').orderBy('id', 'desc').first('created_at');
  return numberOf(row, 'created_at');
}

/** When the last order was reported, leaving out one provider; null for none. */
export async function newestOrder(db: Db, besides: string): Promise<number | null> {
  const row: Row | undefined = await db('orders')
    .whereNot({ provider: besides })
    .orderBy('id', 'desc')
    .first('created_at');
  return numberOf(row, 'created_at');
}

/** When the newest delivery of a shop with one of these states arrived; null for none. */
export async function newestDelivery(db: Db, statuses: readonly string[]): Promise<number | null> {
  const row: Row | undefined = await db('provider_deliveries')
    .whereIn('status', [...statuses])
    .max({ last: 'received_at' })
    .first();
  return numberOf(row, 'last');
}

/** When the first payment was marked paid; null for none. */
export async function firstPayment(db: Db): Promise<number | null> {
  const row: Row | undefined = await db('payout_transactions')
    .where({ status: 'paid' })
    .orderBy('id')
    .first('updated_at');
  return numberOf(row, 'updated_at');
}

/** The oldest payout that is not paid yet; null for none. */
export async function openPayout(db: Db): Promise<number | null> {
  const row: Row | undefined = await db('payouts').where({ status: 'processing' }).orderBy('id').first('id');
  return numberOf(row, 'id');
}

/** The active affiliate who joined first; null for none. */
export async function firstActiveAffiliate(db: Db): Promise<number | null> {
  const row: Row | undefined = await db('affiliates').where({ status: 'active' }).orderBy('id').first('id');
  return numberOf(row, 'id');
}

/** Commissions of one provider that no payout has, of orders whose references begin like this, recorded before a time. */
export async function testCommissions(
  db: Db,
  { provider, begin, before }: { readonly provider: string; readonly begin: string; readonly before: number },
): Promise<readonly { readonly id: number; readonly reference: string }[]> {
  const rows: readonly Row[] = await db('referrals')
    .where({ provider })
    .whereNot({ status: 'paid' })
    .where('created_at', '<', before)
    .select('id', 'provider_id');
  return rows
    .map((row) => ({ id: Number(row['id']), reference: String(row['provider_id']) }))
    .filter(({ reference }) => reference.startsWith(begin));
}
