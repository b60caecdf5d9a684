import type { Db } from '../../database/db.js';

/** Paid and unpaid commissions of an affiliate since an instant, in the program currency, in minor units. */
export async function earnedSince(
  db: Db,
  affiliateId: number,
  since: number,
  currency: string,
): Promise<number> {
  const row: { total: number | string | null } | undefined = await db('referrals')
    .where({ affiliate_id: affiliateId })
    .whereIn('status', ['paid', 'unpaid'])
    .where('created_at', '>=', since)
    .where((own) => void own.where({ currency }).orWhereNull('currency'))
    .sum({ total: 'amount_minor' })
    .first();
  return Number(row?.total ?? 0);
}

export async function countItems(db: Db, transactionId: number): Promise<number> {
  const row: { n: number | string } | undefined = await db('payout_items')
    .where({ transaction_id: transactionId })
    .count({ n: '*' })
    .first();
  return Number(row?.n ?? 0);
}

/** Commissions recorded in this time by status and currency. */
export async function commissionsBetween(
  db: Db,
  { from, to }: { from: number; to: number },
): Promise<{ status: string; currency: string | null; amount_minor: number }[]> {
  const rows: { status: string; currency: string | null; amount: number | string | null }[] = await db(
    'referrals',
  )
    .select('status', 'currency')
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .whereIn('status', ['pending', 'unpaid', 'paid', 'rejected'])
    .groupBy('status', 'currency')
    .orderBy(['status', 'currency'])
    .sum({ amount: 'amount_minor' });
  return rows.map((row) => ({
    status: row.status,
    currency: row.currency,
    amount_minor: Number(row.amount ?? 0),
  }));
}
