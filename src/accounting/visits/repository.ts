import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { AffiliateStatus, AffiliateMerge, Slice, SliceAt } from '../../program/affiliates/types.js';
import { rowsOf, findRecord } from '../../records/list.js';
import { visits, type Visit } from './record.js';

const CHUNK = 1000;
const number = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);
export const findVisit = (db: Db, id: number): Promise<Visit | null> => findRecord(db, visits, { id });

export async function findVisits(db: Db, ids: readonly number[]): Promise<Visit[]> {
  return (await rowsOf(db, visits, ids)).map(visits.fromRow);
}

const UNKNOWN_VISITOR = { ip: null, visitor_key: null, user_id: null, url: null, referrer: null };

export async function forgetVisitors(db: Db, ids: readonly number[]): Promise<void> {
  for (const chunk of chunks(ids, CHUNK)) {
    await db('visits').whereIn('id', chunk).update(UNKNOWN_VISITOR);
  }
}

export async function forgetUser(trx: Db, userId: number): Promise<number> {
  return trx('visits').where({ user_id: userId }).update(UNKNOWN_VISITOR);
}

/** The row that the same site sent earlier with this event id. */
export const findByEvent = (db: Db, siteId: string, eventId: string): Promise<Visit | null> =>
  findRecord(db, visits, { site_id: siteId, event_id: eventId });

/** The new ids, in the order of the rows. */
export async function insertVisits(db: Db, rows: readonly Omit<Visit, 'id'>[]): Promise<number[]> {
  return db.dialect.insertMany(db, 'visits', rows);
}

/**
 * Adds in one statement, so that clicks at the same time do not overwrite each other. Returns the number of
 * changed rows: 0 when no affiliate has this id and status.
 */
export async function addToCounter(
  db: Db,
  affiliateId: number,
  by: number,
  status: AffiliateStatus | null = null,
): Promise<number> {
  const condition = status === null ? '' : ' and status = ?';
  return db.execute(
    `update ${db.name('affiliates')} set visits = visits + ? where id = ?${condition}`,
    status === null ? [by, affiliateId] : [by, affiliateId, status],
  );
}

export async function addPurged(db: Db, affiliateId: number, visits: number): Promise<void> {
  await db('affiliates').where({ id: affiliateId }).increment('visits_purged', visits);
}

export async function markConverted(db: Db, id: number): Promise<void> {
  await db.execute(`update ${db.name('visits')} set converted = 1 where id = ? and converted = 0`, [id]);
}

/** Removes the mark unless another referral still names the visit. */
export async function unmarkConverted(db: Db, id: number): Promise<void> {
  await db('visits')
    .where({ id, converted: 1 })
    .whereNotExists(db('referrals').select('id').where({ visit_id: id }))
    .update({ converted: 0 });
}

/** Marks these visits as named by a referral. */
export async function markManyConverted(db: Db, ids: readonly number[]): Promise<void> {
  for (const chunk of chunks(ids, CHUNK))
    await db('visits').whereIn('id', chunk).where({ converted: 0 }).update({ converted: 1 });
}

export async function countOfAffiliate(db: Db, affiliateId: number): Promise<number> {
  const row: Row | undefined = await db('affiliates').first('visits').where({ id: affiliateId });
  return Number(row?.['visits'] ?? 0);
}

/** Moves the clicks of one affiliate to another, with the counters of stored and deleted ones. */
export async function moveVisits(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
  const counted: Row | undefined = await trx('affiliates')
    .first('visits', 'visits_purged')
    .where({ id: from });
  await trx('visits').where({ affiliate_id: from }).update({ affiliate_id: into });
  await addToCounter(trx, into, Number(counted?.['visits'] ?? 0));
  await addPurged(trx, into, Number(counted?.['visits_purged'] ?? 0));
}

/** Moves clicks, under the locks of both affiliates. */
export async function moveVisitSlice(
  trx: Db,
  { from, into }: AffiliateMerge,
  { afterId, limit }: SliceAt,
): Promise<Slice> {
  const rows: Row[] = await trx('visits')
    .select('id')
    .where({ affiliate_id: from })
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  const ids = rows.map((row) => Number(row['id']));
  if (ids.length === 0) return { moved: 0, afterId: null };
  for (const chunk of chunks(ids, CHUNK))
    await trx('visits').whereIn('id', chunk).update({ affiliate_id: into });
  await addToCounter(trx, from, -ids.length);
  await addToCounter(trx, into, ids.length);
  return { moved: ids.length, afterId: ids.at(-1)! };
}

export async function deleteOfAffiliate(db: Db, affiliateId: number): Promise<number> {
  return db('visits').where({ affiliate_id: affiliateId }).delete();
}

export async function oldestBefore(
  db: Db,
  before: number,
  limit: number,
): Promise<{ id: number; affiliate_id: number | null }[]> {
  const rows: Row[] = await db('visits')
    .select('id', 'affiliate_id')
    .where('created_at', '<', before)
    .orderBy(['created_at', 'id'])
    .limit(limit);
  return rows.map((row) => ({ id: Number(row['id']), affiliate_id: number(row['affiliate_id']) }));
}

/** How many of these rows still exist, per affiliate; read again under the affiliates' locks. */
export async function countByAffiliate(
  db: Db,
  ids: readonly number[],
): Promise<{ affiliate_id: number | null; visits: number }[]> {
  const rows: Row[] = await db('visits')
    .select('affiliate_id')
    .count({ n: '*' })
    .whereIn('id', ids)
    .groupBy('affiliate_id')
    .orderBy('affiliate_id');
  return rows.map((row) => ({
    affiliate_id: number(row['affiliate_id']),
    visits: Number(row['n']),
  }));
}

export async function deleteVisits(db: Db, ids: readonly number[]): Promise<number> {
  return db('visits').whereIn('id', ids).delete();
}
