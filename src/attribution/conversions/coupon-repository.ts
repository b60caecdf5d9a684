import { countOf } from '../../records/list.js';
import { couponKey } from '../../core/alias.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Db, Row } from '../../platform/database/db.js';

export interface Coupon {
  readonly provider: string;
  readonly code: string;
  readonly affiliate_id: number;
  readonly created_at: number;
}

/** The affiliate of a coupon; codes are compared however they are spelled. */
export async function couponAffiliate(db: Db, provider: string, code: string): Promise<number | null> {
  const key = { provider, code_key: couponKey(code) };
  const row = await db.findByKey('coupons', ['affiliate_id'], key);
  return row ? Number(row['affiliate_id']) : null;
}

/** Binds a coupon to one affiliate; binding it again moves it. */
export async function bindCoupon(db: Db, coupon: Coupon): Promise<void> {
  const row = { ...coupon, code: coupon.code.trim(), code_key: couponKey(coupon.code) };
  await db.dialect.upsert(
    db,
    'coupons',
    [row],
    ['provider', 'code_key'],
    ['code', 'affiliate_id', 'created_at'],
  );
}

export async function unbindCoupon(db: Db, provider: string, code: string): Promise<boolean> {
  return (
    (await db('coupons')
      .where({ provider, code_key: couponKey(code) })
      .delete()) > 0
  );
}

export async function couponsOf(
  db: Db,
  affiliateId: number,
  limit: number,
): Promise<{ provider: string; code: string }[]> {
  const rows: Row[] = await db('coupons')
    .select('provider', 'code')
    .where({ affiliate_id: affiliateId })
    .orderBy(['provider', 'code_key'])
    .limit(limit);
  return rows.map((row) => ({ provider: row['provider'] as string, code: row['code'] as string }));
}

/** The other shops in which the same code credits the same affiliate. */
export async function sameCouponElsewhere(
  db: Db,
  { provider, code, affiliate_id }: Pick<Coupon, 'provider' | 'code' | 'affiliate_id'>,
): Promise<string[]> {
  const rows: Row[] = await db('coupons')
    .select('provider')
    .where({ affiliate_id, code_key: couponKey(code) })
    .whereNot({ provider })
    .orderBy('provider');
  return rows.map((row) => String(row['provider']));
}

/** Tables with the shops of orders; each has an index that begins with the shop. */
const ORDER_TABLES = ['orders', 'referrals', 'skipped_conversions'] as const;
const SHOPS_MAX = 50;

/** The shops of the orders so far, at most fifty; each is one step in an index. */
export async function shopsOfOrders(db: Db): Promise<string[]> {
  const found = new Set<string>();
  for (const table of ORDER_TABLES)
    for (let last = ''; found.size < SHOPS_MAX;) {
      const row: Row | undefined = await db(table)
        .first('provider')
        .where('provider', '>', last)
        .orderBy('provider');
      if (row === undefined) break;
      last = String(row['provider']);
      found.add(last);
    }
  return [...found].toSorted();
}

export interface CouponFilter {
  readonly provider: string;
  readonly affiliateId: number | null;
  readonly search: string;
  readonly page: number;
  readonly per_page: number;
}

export async function listCoupons(db: Db, filter: CouponFilter): Promise<Page<Coupon>> {
  const matching = (): ReturnType<Db> => {
    const query = db('coupons');
    if (filter.provider !== '') query.where({ provider: filter.provider });
    if (filter.affiliateId !== null) query.where({ affiliate_id: filter.affiliateId });
    if (filter.search !== '') db.dialect.contains(query, ['code'], filter.search);
    return query;
  };
  const total = await countOf(matching());
  const offset = offsetOf(filter);
  const rows: Row[] =
    offset >= total
      ? []
      : await matching()
          .select('provider', 'code', 'affiliate_id', 'created_at')
          .orderBy(['provider', 'code_key'])
          .limit(filter.per_page)
          .offset(offset);
  return {
    rows: rows.map((row) => ({
      provider: String(row['provider']),
      code: String(row['code']),
      affiliate_id: Number(row['affiliate_id']),
      created_at: Number(row['created_at']),
    })),
    total,
    page: filter.page,
    per_page: filter.per_page,
  };
}
