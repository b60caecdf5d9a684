import { whereCreated } from '../../records/filters.js';
import type { Db } from '../../platform/database/db.js';
import type { Matching } from '../../records/list.js';
import type { ClickFilter, Performance } from './types.js';

// Clicks of one affiliate: filtered lists, and results by campaign, page and sub id.

export const COLUMNS_OF = {
  campaign: 'utm_campaign',
  page: 'url',
  sub1: 'sub1',
  sub2: 'sub2',
  sub3: 'sub3',
  sub4: 'sub4',
  sub5: 'sub5',
} as const;
export type PerformanceOf = keyof typeof COLUMNS_OF;

export const clicksMatching =
  (db: Db, affiliateId: number, filter: ClickFilter): Matching =>
  (query) => {
    query.where({ ...filter.subIds, affiliate_id: affiliateId });
    whereCreated(query, filter.created);
    if (filter.converted !== null) query.where({ converted: filter.converted ? 1 : 0 });
    if (filter.campaign === '')
      query.where((any) => {
        any.whereNull('utm_campaign').orWhere({ utm_campaign: '' });
      });
    else if (filter.campaign !== null) query.where({ utm_campaign: filter.campaign });
    if (filter.search !== '')
      query.where((any) => {
        db.dialect.contains(any, ['url', 'referrer', 'utm_campaign'], filter.search);
      });
  };

/** Clicks and orders since an instant by campaign, page or sub id, most clicks first; "" means none. */
export async function performance(
  db: Db,
  affiliateId: number,
  {
    by,
    since,
    currency,
    limit,
  }: {
    readonly by: PerformanceOf;
    readonly since: number;
    readonly currency: string;
    readonly limit: number;
  },
): Promise<Performance[]> {
  const column = COLUMNS_OF[by];
  const name = `coalesce(${column}, '')`;
  const rows = await db.raw(
    `select ${name} as name, count(*) as clicks, sum(converted) as orders from ${db.name('visits')} ` +
      `where affiliate_id = ? and created_at >= ? group by ${name} order by count(*) desc, ${name} limit ${limit}`,
    [affiliateId, since],
  );
  const source = `coalesce(v.${column}, '')`;
  const income = await db.raw(
    `select ${source} as name, sum(r.amount_minor) as amount from ${db.name('referrals')} r ` +
      `join ${db.name('visits')} v on v.id = r.visit_id ` +
      'where r.affiliate_id = ? and v.affiliate_id = r.affiliate_id and v.created_at >= ? ' +
      "and r.status in ('paid', 'unpaid') " +
      `and (r.currency is null or r.currency = ?) group by ${source}`,
    [affiliateId, since, currency],
  );
  const amounts = new Map(income.map((row) => [String(row['name']), Number(row['amount'])]));
  return rows.map((row) => ({
    name: String(row['name']),
    clicks: Number(row['clicks']),
    orders: Number(row['orders']),
    amount_minor: amounts.get(String(row['name'])) ?? 0,
  }));
}
