import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import { searchIn, type Search } from '../../records/search.js';
import { payouts, transactions } from './record.js';

export interface ListFilter {
  readonly status: string | null;
  readonly payoutId?: number;
  readonly affiliateId?: number;
  readonly created: CreationRange;
  readonly search: Search;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
}

export const payoutsMatching =
  (db: Db, filter: ListFilter): Matching =>
  (query) => {
    const { affiliateId } = filter;
    if (affiliateId !== undefined)
      query.whereIn('id', db('payout_transactions').select('payout_id').where({ affiliate_id: affiliateId }));
    if (filter.status !== null) query.where('status', filter.status);
    whereCreated(query, filter.created);
    const ofUsers: Matching = (any) =>
      void any.whereIn(
        'id',
        db('payout_transactions').select('payout_id').whereIn('affiliate_id', affiliatesOf(db, filter)),
      );
    searchIn(db, query, payouts.search, {
      ...filter.search,
      ...(filter.userIds.length > 0 && { also: ofUsers }),
    });
  };

/** Sums over the rows of a list, and the part that is not paid yet, for each currency. */
export async function sumPayouts(
  db: Db,
  matching: Matching,
): Promise<{ currency: string | null; count: number; amount: number; open: number }[]> {
  const query = db('payouts').select('currency');
  matching(query);
  const rows = (await query
    .count({ n: '*' })
    .sum({ amount: 'total_amount_minor' })
    .groupBy('currency')
    .orderBy('currency')) as Row[];
  const among = db('payouts').select('id');
  matching(among);
  const open = (await db('payout_transactions')
    .select('currency')
    .where({ status: 'processing' })
    .whereIn('payout_id', among)
    .sum({ amount: 'total_amount_minor' })
    .groupBy('currency')) as Row[];
  return rows.map((row) => ({
    currency: (row['currency'] as string | null) ?? null,
    count: Number(row['n']),
    amount: Number(row['amount'] ?? 0),
    open: Number(open.find((each) => each['currency'] === row['currency'])?.['amount'] ?? 0),
  }));
}

export const transactionsMatching =
  (db: Db, filter: ListFilter): Matching =>
  (query) => {
    if (filter.payoutId !== undefined) query.where('payout_id', filter.payoutId);
    if (filter.affiliateId !== undefined) query.where('affiliate_id', filter.affiliateId);
    if (filter.status !== null) query.where('status', filter.status);
    whereCreated(query, filter.created);
    const ofUsers: Matching = (any) => void any.whereIn('affiliate_id', affiliatesOf(db, filter));
    searchIn(db, query, transactions.search, {
      ...filter.search,
      ...(filter.userIds.length > 0 && { also: ofUsers }),
    });
  };

const affiliatesOf = (db: Db, { userIds }: ListFilter): ReturnType<Db> =>
  db('affiliates').select('id').whereIn('user_id', userIds);

/** The times of the first and the last transaction of a payout or an affiliate; null without any. */
export async function timesOf(
  db: Db,
  { payoutId, affiliateId }: Pick<ListFilter, 'payoutId' | 'affiliateId'>,
): Promise<{ readonly from: number; readonly to: number } | null> {
  const row: Row | undefined = await db('payout_transactions')
    .where({
      ...(payoutId !== undefined && { payout_id: payoutId }),
      ...(affiliateId !== undefined && { affiliate_id: affiliateId }),
    })
    .min({ from: 'created_at' })
    .max({ to: 'created_at' })
    .first();
  return row && row['from'] !== null ? { from: Number(row['from']), to: Number(row['to']) } : null;
}
