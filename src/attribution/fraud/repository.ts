import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { fraudEvents } from './record.js';
import type { FraudEvent, MarkKind } from './types.js';

const CHUNK = 200;

export interface Mark {
  readonly affiliate_id: number;
  readonly kind: MarkKind;
  readonly mark: string;
  readonly seen_at: number;
}

export async function hasMark(
  db: Db,
  affiliateId: number,
  kind: MarkKind,
  marks: readonly string[],
  since: number,
): Promise<boolean> {
  const row: Row | undefined = await db('affiliate_marks')
    .first('affiliate_id')
    .where({ affiliate_id: affiliateId, kind })
    .whereIn('mark', marks)
    .where('seen_at', '>=', since);
  return row !== undefined;
}

/** Another affiliate that has one of these marks. */
export async function sharesMark(
  db: Db,
  affiliateId: number,
  kind: MarkKind,
  marks: readonly string[],
): Promise<number | null> {
  const row: Row | undefined = await db('affiliate_marks')
    .first('affiliate_id')
    .orderBy('affiliate_id')
    .where({ kind })
    .whereIn('mark', marks)
    .whereNot({ affiliate_id: affiliateId });
  return row === undefined ? null : Number(row['affiliate_id']);
}

export async function addMarks(db: Db, marks: readonly Mark[]): Promise<void> {
  if (marks.length > 0)
    await db.dialect.upsert(
      db,
      'affiliate_marks',
      marks.map((mark) => ({ ...mark })),
      ['affiliate_id', 'kind', 'mark'],
      ['seen_at'],
    );
}

/** Replaces the affiliates' marks of one kind. */
export async function replaceMarks(
  db: Db,
  affiliateIds: readonly number[],
  kind: MarkKind,
  marks: readonly Mark[],
): Promise<void> {
  await db('affiliate_marks').whereIn('affiliate_id', affiliateIds).where({ kind }).delete();
  await addMarks(db, marks);
}

/** Moves marks and suspicions of one account to another; duplicates are merged. */
export async function moveSuspicions(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
  const marks: Row[] = await trx('affiliate_marks')
    .select('kind', 'mark', 'seen_at')
    .where({ affiliate_id: from });
  for (const chunk of chunks(marks, CHUNK))
    await addMarks(
      trx,
      chunk.map((row) => ({
        affiliate_id: into,
        kind: row['kind'] as MarkKind,
        mark: String(row['mark']),
        seen_at: Number(row['seen_at']),
      })),
    );
  await trx('affiliate_marks').where({ affiliate_id: from }).delete();
  const events = trx.name('fraud_events');
  const both = await trx.raw(
    `select g.id from ${events} g join ${events} k on k.rule = g.rule and k.customer_key = g.customer_key ` +
      'where g.affiliate_id = ? and k.affiliate_id = ?',
    [from, into],
  );
  for (const { id } of both)
    await trx('fraud_events')
      .where({ id: Number(id) })
      .delete();
  await trx('fraud_events').where({ affiliate_id: from }).update({ affiliate_id: into });
}

export async function purgeMarks(db: Db, kind: MarkKind, before: number): Promise<number> {
  return db('affiliate_marks').where({ kind }).where('seen_at', '<', before).delete();
}

/** Ids after this one, in order. */
export async function affiliateIdsAfter(db: Db, id: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('affiliates').select('id').where('id', '>', id).orderBy('id').limit(limit);
  return rows.map((row) => Number(row['id']));
}

export async function insertEvent(
  db: Db,
  event: Omit<FraudEvent, 'id'> & { readonly customer_key: string },
): Promise<number | null> {
  const row = { ...event, evidence: JSON.stringify(event.evidence ?? {}) };
  return db.dialect.insertIfAbsent(db, 'fraud_events', row, ['rule', 'affiliate_id', 'customer_key']);
}

export async function findEvent(db: Db, id: number): Promise<FraudEvent | null> {
  const row: Row | undefined = await db('fraud_events').first(fraudEvents.columns).where({ id });
  return row ? fraudEvents.fromRow(row) : null;
}

export interface EventFilter {
  readonly rule: string | null;
  readonly affiliateId: number | null;
  readonly created: CreationRange;
}

export const eventsMatching =
  ({ rule, affiliateId, created }: EventFilter): Matching =>
  (query) => {
    if (rule !== null) query.where({ rule });
    if (affiliateId !== null) query.where({ affiliate_id: affiliateId });
    whereCreated(query, created);
  };

export async function purgeEvents(db: Db, before: number): Promise<number> {
  return db('fraud_events').where('created_at', '<', before).delete();
}

/**
 * Why the affiliate's latest first sales were rejected, null for those that were not; at most so many, since
 * a time.
 */
export async function latestSales(
  db: Db,
  affiliateId: number,
  { since, limit }: { since: number; limit: number },
): Promise<(string | null)[]> {
  const rows: Row[] = await db('referrals')
    .select('status', 'reject_reason', 'created_at')
    .where({ affiliate_id: affiliateId })
    .whereIn('type', ['sale', 'payment'])
    .whereNull('parent_id')
    .orderBy('id', 'desc')
    .limit(limit);
  return rows
    .filter((row) => Number(row['created_at']) >= since)
    .map((row) => (row['status'] === 'rejected' ? String(row['reject_reason'] ?? 'manual') : null));
}

/** When coupons last credited this affiliate, since a time, the newest first. */
export async function couponUses(
  db: Db,
  affiliateId: number,
  { since, most }: { since: number; most: number },
): Promise<number[]> {
  const rows: Row[] = await db('orders')
    .select('created_at', 'source')
    .where({ affiliate_id: affiliateId })
    .orderBy('id', 'desc')
    .limit(most);
  return rows
    .filter((row) => row['source'] === 'coupon' && Number(row['created_at']) >= since)
    .map((row) => Number(row['created_at']));
}
