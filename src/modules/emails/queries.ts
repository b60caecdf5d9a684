import type { Db } from '../../database/db.js';

/** Paid and unpaid commissions of an affiliate since an instant, in the program currency, in minor units. */
export async function earnedSince(db: Db, affiliateId: number, since: number, currency: string): Promise<number> {
  const row: { total: number | string | null } | undefined = await db('referrals')
    .where({ affiliate_id: affiliateId }).whereIn('status', ['paid', 'unpaid']).where('created_at', '>=', since)
    .where((own) => void own.where({ currency }).orWhereNull('currency'))
    .sum({ total: 'amount_minor' }).first();
  return Number(row?.total ?? 0);
}

export async function countItems(db: Db, transactionId: number): Promise<number> {
  const row: { n: number | string } | undefined = await db('payout_items').where({ transaction_id: transactionId }).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}
