import { countOf, findRecord, lockRecord } from '../../records/list.js';
import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { AffiliateMerge, SliceAt } from '../../program/affiliates/types.js';
import { referrals as record } from './record.js';
import { GIVEN_AWAY, type NewReferral, type Referral, type ReferralChange } from './types.js';

const CHUNK = 1000;
export async function findReferrals(db: Db, ids: readonly number[]): Promise<Referral[]> {
  const referrals: Referral[] = [];
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await db('referrals').select(record.columns).whereIn('id', chunk);
    referrals.push(...rows.map(record.fromRow));
  }
  return referrals;
}

/** The bonuses of these affiliates, oldest first. */
export async function bonusesOf(db: Db, affiliateIds: readonly number[]): Promise<Referral[]> {
  const rows: Row[] = await db('referrals')
    .select(record.columns)
    .where({ type: 'bonus' })
    .whereIn('affiliate_id', affiliateIds)
    .orderBy('id');
  return rows.map(record.fromRow);
}

export const findReferral = (db: Db, id: number): Promise<Referral | null> => findRecord(db, record, { id });

/** The row as it is now, locked until the transaction ends. */
export const lockReferral = (db: Db, id: number): Promise<Referral | null> => lockRecord(db, record, { id });

export const findByDedupKey = (db: Db, key: string): Promise<Referral | null> =>
  findRecord(db, record, { dedup_key: key });

export async function findChildren(db: Db, parentId: number, limit: number): Promise<Referral[]> {
  const rows: Row[] = await db('referrals')
    .select(record.columns)
    .where({ parent_id: parentId })
    .orderBy('id')
    .limit(limit);
  return rows.map(record.fromRow);
}

/** The adjustments of a paid commission: amounts taken back from it, or given back again. */
export async function findAdjustments(db: Db, parentId: number): Promise<Referral[]> {
  const rows: Row[] = await db('referrals')
    .select(record.columns)
    .where({ parent_id: parentId, type: 'adjustment' })
    .orderBy('id');
  return rows.map(record.fromRow);
}

export async function parentsOfAdjustments(db: Db, ids: readonly number[]): Promise<number[]> {
  const parents: number[] = [];
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await db('referrals')
      .distinct('parent_id')
      .whereIn('id', chunk)
      .where({ type: 'adjustment' })
      .whereNotNull('parent_id');
    parents.push(...rows.map((row) => Number(row['parent_id'])));
  }
  return parents;
}

export async function adjustedSums(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const sums = new Map<number, number>();
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await db('referrals')
      .select('parent_id')
      .sum({ total: 'amount_minor' })
      .whereIn('parent_id', chunk)
      .where({ type: 'adjustment' })
      .groupBy('parent_id');
    for (const row of rows) sums.set(Number(row['parent_id']), Number(row['total']));
  }
  return sums;
}

export async function withAdjustments(db: Db, ids: readonly number[]): Promise<number[]> {
  const parents: number[] = [];
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await db('referrals')
      .distinct('parent_id')
      .whereIn('parent_id', chunk)
      .where({ type: 'adjustment' });
    parents.push(...rows.map((row) => Number(row['parent_id'])));
  }
  return parents;
}

export async function firstOfSubscription(
  db: Db,
  provider: string,
  subscription: string,
): Promise<Referral | null> {
  const row: Row | undefined = await db('referrals')
    .first(record.columns)
    .where({ provider, provider_sub_id: subscription })
    .whereNull('parent_id')
    .where((any) => {
      void any.whereNull('reject_reason').orWhereNot({ reject_reason: GIVEN_AWAY });
    })
    .orderBy('id');
  return row ? record.fromRow(row) : null;
}

export async function summaries(db: Db, visitIds: readonly number[]): Promise<Referral[]> {
  const rows: Row[] = await db('referrals')
    .select(record.columns)
    .whereIn('visit_id', visitIds)
    .orderBy('id');
  return rows.map(record.fromRow);
}

/** The new id, or null when a row with this dedup key exists. */
export async function insertReferral(db: Db, row: NewReferral): Promise<number | null> {
  return typeof row.dedup_key === 'string'
    ? db.dialect.insertIfAbsent(db, 'referrals', record.toRow(row), ['dedup_key'])
    : db.dialect.insert(db, 'referrals', record.toRow(row));
}

const asSeen = ({ id, status, amount_minor, order_total_minor }: Referral): Partial<Referral> => ({
  id,
  status,
  amount_minor,
  order_total_minor,
});

/**
 * Changes the row if it is still as seen: false when status, amount or order total changed since `seen` was
 * read, or it is part of a payout.
 */
export async function changeReferral(
  db: Db,
  seen: Referral,
  change: ReferralChange & { readonly updated_at: number },
): Promise<boolean> {
  return (
    (await db('referrals')
      .where(asSeen(seen))
      .whereNotIn('status', ['paid', 'processing'])
      .update(record.toRow(change))) === 1
  );
}

/** The value of the order is not money that is owed, so it can change in any status. */
export async function changeOrderTotal(db: Db, id: number, total: number, now: number): Promise<void> {
  await db('referrals').where({ id }).update({ order_total_minor: total, updated_at: now });
}

/** Settings never affect money, so they can change in any status. */
export async function changeSettings(
  db: Db,
  id: number,
  settings: Referral['settings'],
  now: number,
): Promise<void> {
  await db('referrals')
    .where({ id })
    .update({ settings: JSON.stringify(settings), updated_at: now });
}

/**
 * Removes the order from a commission that was given to another affiliate, in any status: its key goes to the
 * commission of the other affiliate.
 */
export async function releaseOrder(
  db: Db,
  id: number,
  settings: Referral['settings'],
  now: number,
): Promise<void> {
  await db('referrals')
    .where({ id })
    .update({
      dedup_key: null,
      payload_hash: null,
      reject_reason: GIVEN_AWAY,
      settings: JSON.stringify(settings),
      updated_at: now,
    });
}

/** Later payments of a subscription follow the commission of its first payment. */
export async function moveRenewals(db: Db, from: number, to: number): Promise<void> {
  await db('referrals').where({ parent_id: from, type: 'recurring_sale' }).update({ parent_id: to });
}

export async function deleteReferral(db: Db, seen: Referral): Promise<boolean> {
  if (seen.source_key !== null)
    await db('visits').where({ referral_id: seen.id }).update({ referral_id: null });
  return (
    (await db('referrals').where(asSeen(seen)).whereNotIn('status', ['paid', 'processing']).delete()) === 1
  );
}

export async function deleteOfAffiliate(db: Db, affiliateId: number): Promise<number> {
  return db('referrals').where({ affiliate_id: affiliateId }).delete();
}

export async function idsOfAffiliate(db: Db, affiliateId: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .select('id')
    .where({ affiliate_id: affiliateId })
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => Number(row.id));
}

export async function countOfAffiliate(db: Db, affiliateId: number): Promise<number> {
  return countOf(db('referrals').where({ affiliate_id: affiliateId }));
}

/** Referrals of an affiliate that are in no payout, after this one. */
export async function unclaimedAfter(
  db: Db,
  affiliateId: number,
  { afterId, limit }: SliceAt,
): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .select('id')
    .where({ affiliate_id: affiliateId })
    .whereNull('payout_transaction_id')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => Number(row['id']));
}

export async function giveAllTo(db: Db, { from, into }: AffiliateMerge): Promise<void> {
  await db('referrals').where({ affiliate_id: from }).update({ affiliate_id: into });
}

export async function giveTo(db: Db, ids: readonly number[], affiliateId: number): Promise<void> {
  for (const chunk of chunks(ids, GIVEN))
    await db('referrals').whereIn('id', chunk).update({ affiliate_id: affiliateId });
}

const GIVEN = 1000;
