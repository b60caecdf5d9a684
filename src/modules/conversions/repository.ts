import type { Db, Row } from '../../database/db.js';

/** The affiliate a coupon is bound to; codes are compared without regard to case. */
export async function couponAffiliate(db: Db, provider: string, code: string): Promise<number | null> {
  const row: Row | undefined = await db('coupons').first('affiliate_id').where({ provider, code_key: code.trim().toLowerCase() });
  return row ? Number(row['affiliate_id']) : null;
}

export interface Skipped {
  readonly provider: string;
  readonly provider_id: string;
  readonly reason: string;
  readonly affiliate_id: number | null;
  readonly created_at: number;
}

export async function insertSkipped(db: Db, row: Skipped): Promise<void> {
  await db('skipped_conversions').insert(row);
}

/** What an affiliate earned from one customer since then, in the program currency. */
export async function earnedFromCustomer(db: Db, who: { affiliateId: number; customerId: number; currency: string; since: number }): Promise<number> {
  const row: Row | undefined = await db('referrals').sum({ earned: 'amount_minor' }).whereNot('status', 'rejected')
    .where({ affiliate_id: who.affiliateId, customer_id: who.customerId }).where('created_at', '>=', who.since)
    .where((any) => { void any.where('currency', who.currency).orWhereNull('currency'); }).first();
  return Number(row?.['earned'] ?? 0);
}

/** Orders nobody brought are counted, not kept: they say nothing but that the shop had an order. */
export async function countSkip(db: Db, day: number, reason: string): Promise<void> {
  await db.dialect.addTo(db, 'skip_counts', [{ day, kind: 'conversion', reason, hits: 1 }], ['day', 'kind', 'reason'], ['hits']);
}

/** One code, one affiliate: binding it again moves it. */
export async function bindCoupon(db: Db, coupon: { provider: string; code: string; affiliate_id: number; created_at: number }): Promise<void> {
  const row = { ...coupon, code: coupon.code.trim(), code_key: coupon.code.trim().toLowerCase() };
  await db.dialect.upsert(db, 'coupons', [row], ['provider', 'code_key'], ['code', 'affiliate_id']);
}

export async function unbindCoupon(db: Db, provider: string, code: string): Promise<boolean> {
  return await db('coupons').where({ provider, code_key: code.trim().toLowerCase() }).delete() > 0;
}

export async function couponsOf(db: Db, affiliateId: number): Promise<{ provider: string; code: string }[]> {
  const rows: Row[] = await db('coupons').select('provider', 'code').where({ affiliate_id: affiliateId }).orderBy(['provider', 'code_key']);
  return rows.map((row) => ({ provider: row['provider'] as string, code: row['code'] as string }));
}
