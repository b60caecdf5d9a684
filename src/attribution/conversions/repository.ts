import { countOf } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { SkipReason } from './types.js';

export interface SkippedOrder {
  readonly provider: string;
  readonly provider_id: string;
  readonly reason: SkipReason;
  readonly affiliate_id: number | null;
  readonly created_at: number;
}

export async function insertSkipped(db: Db, row: SkippedOrder): Promise<void> {
  await db('skipped_conversions').insert(row);
}

/** The customer's first order by this affiliate. */
export async function firstOfCustomer(
  db: Db,
  affiliateId: number,
  customerId: number,
): Promise<number | null> {
  const row: Row | undefined = await db('referrals')
    .first('id')
    .where({ customer_id: customerId, affiliate_id: affiliateId })
    .whereNull('parent_id')
    .whereNot({ type: 'adjustment' })
    .orderBy('id');
  return row ? Number(row['id']) : null;
}

/**
 * Counts orders without an affiliate; they are not stored one by one, because they hold no information about
 * the program.
 */
export async function countSkip(db: Db, day: number, reason: SkipReason): Promise<void> {
  await db.dialect.addTo(
    db,
    'skip_counts',
    [{ day, kind: 'conversion', reason, hits: 1 }],
    ['day', 'kind', 'reason'],
    ['hits'],
  );
}

export interface SkippedFilter {
  readonly from: number;
  readonly to: number;
  readonly reason: string | null;
  readonly provider: string | null;
}

const skippedWhere = (db: Db, { from, to, reason, provider }: SkippedFilter): ReturnType<Db> =>
  db('skipped_conversions')
    .whereBetween('created_at', [from, to - 1])
    .where({ ...(reason !== null && { reason }), ...(provider !== null && { provider }) });

export async function countSkipped(db: Db, filter: SkippedFilter): Promise<number> {
  return countOf(skippedWhere(db, filter));
}

/** Newest first. */
export async function listSkipped(
  db: Db,
  filter: SkippedFilter,
  window: { limit: number; offset: number },
): Promise<(SkippedOrder & { readonly id: number })[]> {
  const rows: Row[] = await skippedWhere(db, filter)
    .select('id', 'provider', 'provider_id', 'reason', 'affiliate_id', 'created_at')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => ({
    id: Number(row['id']),
    provider: String(row['provider']),
    provider_id: String(row['provider_id']),
    reason: row['reason'] as SkipReason, // insertSkipped takes no other
    affiliate_id: row['affiliate_id'] === null ? null : Number(row['affiliate_id']),
    created_at: Number(row['created_at']),
  }));
}

/** The number of stored orders per reason. */
export async function skippedByReason(
  db: Db,
  filter: SkippedFilter,
): Promise<{ reason: SkipReason; hits: number }[]> {
  const rows: Row[] = await skippedWhere(db, filter)
    .select('reason')
    .count({ n: '*' })
    .groupBy('reason')
    .orderBy('reason');
  return rows.map((row) => ({ reason: row['reason'] as SkipReason, hits: Number(row['n']) }));
}

export async function purgeSkipped(db: Db, before: number): Promise<number> {
  return db('skipped_conversions').where('created_at', '<', before).delete();
}
