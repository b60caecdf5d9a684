import type { Db, Row } from '../../platform/database/db.js';
import type { AffiliateMerge, SliceAt } from '../../program/affiliates/types.js';

/** Two payments in one payout, one of each of the merged accounts. */
export interface DoublePayment {
  readonly payoutId: number;
  readonly kept: number;
  readonly gone: number;
  /** The amount of the payment that is added to the other one. */
  readonly amount: number;
}

/** Has one of the two accounts a payment that is not marked paid? */
export async function hasOpenPayment(db: Db, { from, into }: AffiliateMerge): Promise<boolean> {
  const row: Row | undefined = await db('payout_transactions')
    .first('id')
    .whereIn('affiliate_id', [from, into])
    .where({ status: 'processing' });
  return row !== undefined;
}

export async function findDoublePayments(
  db: Db,
  { from, into }: AffiliateMerge,
  ids?: readonly number[],
): Promise<DoublePayment[]> {
  const table = db.name('payout_transactions');
  const rows = await db.raw(
    `select k.payout_id, k.id as kept, g.id as gone, g.total_amount_minor as amount from ${table} k ` +
      `join ${table} g on g.payout_id = k.payout_id where k.affiliate_id = ? and g.affiliate_id = ? ` +
      `${ids === undefined ? '' : `and g.id in (${ids.map(Number).join(', ')}) `}order by k.id`,
    [into, from],
  );
  return rows.map((row) => ({
    payoutId: Number(row['payout_id']),
    kept: Number(row['kept']),
    gone: Number(row['gone']),
    amount: Number(row['amount']),
  }));
}

/** An affiliate has only one payment per payout, so two are added up to one. */
export async function joinPayments(
  trx: Db,
  { kept, gone, amount }: DoublePayment,
  now: number,
): Promise<void> {
  await trx('payout_items').where({ transaction_id: gone }).update({ transaction_id: kept });
  await trx('referrals').where({ payout_transaction_id: gone }).update({ payout_transaction_id: kept });
  await trx.execute(
    `update ${trx.name('payout_transactions')} set total_amount_minor = total_amount_minor + ?, updated_at = ? ` +
      'where id = ?',
    [amount, now, kept],
  );
  await trx('ledger_entries').where({ transaction_id: gone }).update({ transaction_id: kept });
  await trx('payout_transactions').where({ id: gone }).delete();
}

/** Payments of an affiliate after this one, with so many commissions together, at least one payment. */
export async function paymentsAfter(
  db: Db,
  affiliateId: number,
  { afterId, limit }: SliceAt,
): Promise<number[]> {
  const [transactions, items] = [db.name('payout_transactions'), db.name('payout_items')];
  const rows = await db.raw(
    `select t.id, (select count(*) from ${items} i where i.transaction_id = t.id) as n from ${transactions} t ` +
      `where t.affiliate_id = ? and t.id > ? order by t.id limit ${PAYMENTS}`,
    [affiliateId, afterId],
  );
  let count = 0;
  const end = rows.findIndex((row, at) => (count += Number(row['n'])) > limit && at > 0);
  return (end === -1 ? rows : rows.slice(0, end)).map((row) => Number(row['id']));
}

const PAYMENTS = 100;

/** The commissions of these payments that exist. */
export async function referralsOf(db: Db, transactionIds: readonly number[]): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .select('id')
    .whereIn('payout_transaction_id', transactionIds)
    .orderBy('id');
  return rows.map((row) => Number(row['id']));
}

/** What belongs to these payments belongs to the other account from now on, and so do the payments themselves. */
export async function movePaymentRows(
  trx: Db,
  tables: readonly ('payout_items' | 'payout_payees' | 'payout_payee_forms' | 'payout_transactions')[],
  { transactionIds, into }: { readonly transactionIds: readonly number[]; readonly into: number },
): Promise<void> {
  for (const table of tables)
    await trx(table)
      .whereIn(table === 'payout_transactions' ? 'id' : 'transaction_id', transactionIds)
      .update({ affiliate_id: into });
}
