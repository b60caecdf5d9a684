import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import { searchIn } from '../../records/search.js';
import { referrals } from './record.js';
import {
  GIVEN_AWAY,
  HIDDEN_STATUSES,
  type ReferralFilter,
  type ReferralType,
  type SalesQuery,
} from './types.js';

/** Sales, and the adjustments that take back a part of their value. */
const SALE_TYPES: readonly ReferralType[] = [
  'sale',
  'payment',
  'recurring_sale',
  'lifetime_sale',
  'adjustment',
];

export const referralsMatching =
  (db: Db, filter: ReferralFilter): Matching =>
  (query) => {
    if (filter.affiliateId !== undefined) query.where('affiliate_id', filter.affiliateId);
    if (filter.payoutId !== undefined) query.where('payout_id', filter.payoutId);
    if (filter.statuses.length > 0) query.whereIn('status', filter.statuses);
    filter.inState?.(query);
    whereCreated(query, filter.created);
    query.where(filter.subIds);
    if (filter.before !== undefined) query.where('created_at', '<', filter.before);
    searchIn(db, query, referrals.search, {
      text: filter.search,
      currency: filter.currency,
      also: ofPeople(db, filter),
    });
  };

/** Referrals of affiliates with this name, and of buyers with this e-mail address. */
const ofPeople =
  (db: Db, { search, userIds }: ReferralFilter): Matching =>
  (any) => {
    const buyers = db('customers').select('id');
    db.dialect.contains(buyers, ['email'], search);
    any.whereIn('customer_id', buyers);
    if (userIds.length > 0)
      any.orWhereIn('affiliate_id', db('affiliates').select('id').whereIn('user_id', userIds));
  };

/** Sums over the rows of a list, for each currency; null is the program's. */
export async function sumReferrals(
  db: Db,
  matching: Matching,
): Promise<{ currency: string | null; count: number; amount: number; counted: number; orders: number }[]> {
  const query = db('referrals');
  matching(query);
  const rows = (await query
    .select('currency')
    .count({ n: '*' })
    .sum({
      amount: 'amount_minor',
      counted: db.knex.raw("case when status in ('rejected', 'cancelled') then 0 else amount_minor end"),
      orders: 'order_total_minor',
    })
    .groupBy('currency')
    .orderBy('currency')) as Row[];
  return rows.map((row) => ({
    currency: (row['currency'] as string | null) ?? null,
    count: Number(row['n']),
    amount: Number(row['amount'] ?? 0),
    counted: Number(row['counted'] ?? 0),
    orders: Number(row['orders'] ?? 0),
  }));
}

/** What an affiliate sold since each of these times. */
export interface Sales {
  /** Commissions that are owed or paid, and the value of their orders in this currency, net of refunds. */
  readonly sales: number;
  readonly amount_minor: number;
  /** Sales that may still be owed: those that wait count too. */
  readonly all: number;
}

/** Sales before an instant and since each of these, in the program's currency; one statement. */
export async function salesSince(
  db: Db,
  of: SalesQuery & { readonly currency: string },
  since: readonly number[],
): Promise<Sales[]> {
  const { affiliateId, until, beforeId, currency } = of;
  const own = "status in ('unpaid', 'paid', 'processing')";
  const inCurrency = '(currency is null or currency = ?)';
  const query = db('referrals')
    .where({ affiliate_id: affiliateId })
    .whereIn('type', [...SALE_TYPES])
    .where('created_at', '<=', until)
    .where('created_at', '>=', Math.min(...since));
  if (beforeId !== undefined) void query.where('id', '<', beforeId);
  for (const [at, from] of since.entries()) {
    // an order that was given to another affiliate is a sale of that affiliate; its amount is taken back by an adjustment
    const sale = `type <> 'adjustment' and coalesce(reject_reason, '') <> '${GIVEN_AWAY}'`;
    void query
      .sum({
        [`sales${at}`]: db.knex.raw(`case when ${own} and ${sale} and created_at >= ? then 1 else 0 end`, [
          from,
        ]),
      })
      .sum({
        [`all${at}`]: db.knex.raw(
          `case when status <> 'rejected' and status <> 'cancelled' and ${sale} and created_at >= ? then 1 else 0 end`,
          [from],
        ),
      })
      .sum({
        [`amount${at}`]: db.knex.raw(
          `case when ${own} and ${inCurrency} and created_at >= ? then coalesce(order_total_minor, 0) else 0 end`,
          [currency, from],
        ),
      });
  }
  const row: Row | undefined = await query.first();
  return since.map((_, at) => ({
    sales: Number(row?.[`sales${at}`] ?? 0),
    all: Number(row?.[`all${at}`] ?? 0),
    amount_minor: Number(row?.[`amount${at}`] ?? 0),
  }));
}

/** The commissions that affiliates see of their own. */
export const referralsShownTo =
  (affiliateId: number, created: CreationRange): Matching =>
  (query) => {
    query.where('affiliate_id', affiliateId).whereNotIn('status', HIDDEN_STATUSES);
    whereCreated(query, created);
  };

export async function affiliateIdsOfPayout(db: Db, payoutId: number): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .distinct('affiliate_id')
    .where({ payout_id: payoutId })
    .whereNotNull('affiliate_id')
    .orderBy('affiliate_id');
  return rows.map((row) => Number(row.affiliate_id));
}

/** Commissions still pending that were recorded before this instant. */
export async function staleSummary(
  db: Db,
  before: number,
): Promise<{ count: number; oldest: number | null }> {
  const row: Row | undefined = await db('referrals')
    .where({ status: 'pending' })
    .where('created_at', '<', before)
    .count({ n: '*' })
    .min({ oldest: 'created_at' })
    .first();
  const oldest = row?.['oldest'];
  return {
    count: Number(row?.['n'] ?? 0),
    oldest: oldest === null || oldest === undefined ? null : Number(oldest),
  };
}
