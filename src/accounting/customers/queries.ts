import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import { customers } from './record.js';

export interface CustomerFilter {
  readonly affiliateId?: number;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
  readonly created: CreationRange;
  /** The lifetime term: customers created before this instant have expired. */
  readonly term?: { readonly kind: 'active' | 'expired'; readonly since: number };
}

/** What the customers of a list bought, per currency; null is the program's currency. */
export async function sumBought(
  db: Db,
  matching: Matching,
): Promise<{ currency: string | null; amount: number; orders: number }[]> {
  const among = db('customers').select('id');
  matching(among);
  const rows = (await db('referrals')
    .select('currency')
    .whereIn('status', ['paid', 'unpaid'])
    .whereIn('customer_id', among)
    .sum({ amount: 'amount_minor', orders: 'order_total_minor' })
    .groupBy('currency')
    .orderBy('currency')) as Row[];
  return rows.map((row) => ({
    currency: (row['currency'] as string | null) ?? null,
    amount: Number(row['amount'] ?? 0),
    orders: Number(row['orders'] ?? 0),
  }));
}

export const customersMatching =
  (db: Db, { affiliateId, search, userIds, created, term }: CustomerFilter): Matching =>
  (query) => {
    if (affiliateId !== undefined) query.where('by_affiliate_id', affiliateId);
    if (term) query.where('created_at', term.kind === 'active' ? '>=' : '<', term.since);
    whereCreated(query, created);
    if (search === '') return;
    const orders = db('referrals').select('customer_id').whereNotNull('customer_id');
    db.dialect.contains(orders, ['provider_id'], search);
    query.where((any) => {
      db.dialect.contains(any, Object.keys(customers.search.anywhere), search).orWhereIn('id', orders);
      if (userIds.length > 0)
        any.orWhereIn('by_affiliate_id', db('affiliates').select('id').whereIn('user_id', userIds));
    });
  };
