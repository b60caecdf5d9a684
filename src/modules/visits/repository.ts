import type { Db, Row } from '../../database/db.js';
import type { Visit } from './types.js';

export const COLUMNS = [
  'id',
  'affiliate_id',
  'user_id',
  'referral_id',
  'site_id',
  'event_id',
  'url',
  'referrer',
  'utm_campaign',
  'utm_medium',
  'utm_source',
  'ip',
  'visitor_key',
  'created_at',
  'updated_at',
] as const;

const CHUNK = 1000;
const number = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const fromRow = (row: Row): Visit => ({
  id: Number(row['id']),
  affiliate_id: number(row['affiliate_id']),
  user_id: number(row['user_id']),
  referral_id: number(row['referral_id']),
  site_id: text(row['site_id']),
  event_id: text(row['event_id']),
  url: text(row['url']),
  referrer: text(row['referrer']),
  utm_campaign: text(row['utm_campaign']),
  utm_medium: text(row['utm_medium']),
  utm_source: text(row['utm_source']),
  ip: text(row['ip']),
  visitor_key: text(row['visitor_key']),
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
});

export async function findVisit(db: Db, id: number): Promise<Visit | null> {
  const row = await db.lookUp('visits', COLUMNS, { id });
  return row ? fromRow(row) : null;
}

export async function findVisits(db: Db, ids: readonly number[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows: Row[] = await db('visits')
      .select(COLUMNS)
      .whereIn('id', ids.slice(at, at + CHUNK));
    visits.push(...rows.map(fromRow));
  }
  return visits;
}

export async function forgetVisitors(db: Db, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += CHUNK) {
    await db('visits')
      .whereIn('id', ids.slice(at, at + CHUNK))
      .update({ ip: null, visitor_key: null, user_id: null });
  }
}

export async function forgetUser(trx: Db, userId: number): Promise<number> {
  return trx('visits').where({ user_id: userId }).update({ ip: null, visitor_key: null, user_id: null });
}

/** A row the same site sent before under this event id. */
export async function findByEvent(db: Db, siteId: string, eventId: string): Promise<Visit | null> {
  const row: Row | undefined = await db('visits')
    .first(COLUMNS)
    .where({ site_id: siteId, event_id: eventId });
  return row ? fromRow(row) : null;
}

/** The new ids, in the order of the rows. */
export async function insertVisits(db: Db, visits: readonly Omit<Visit, 'id'>[]): Promise<number[]> {
  return db.dialect.insertMany(db, 'visits', visits);
}

/** Atomic, so that clicks counted at the same time never overwrite each other. */
export async function addToCounter(db: Db, affiliateId: number, by: number): Promise<void> {
  await db('affiliates').where({ id: affiliateId }).increment('visits', by);
}

export async function addPurged(
  db: Db,
  affiliateId: number,
  { visits, converted }: { readonly visits: number; readonly converted: number },
): Promise<void> {
  await db('affiliates')
    .where({ id: affiliateId })
    .increment({ visits_purged: visits, visits_converted: -converted });
}

/** Affected rows: 0 when it was converted before, or is gone. */
export async function markConverted(db: Db, id: number): Promise<number> {
  return db('visits').where({ id, converted: 0 }).update({ converted: 1 });
}

/** Affected rows: 0 when another referral names it still. */
export async function unmarkConverted(db: Db, id: number): Promise<number> {
  return db('visits')
    .where({ id, converted: 1 })
    .whereNotExists(db('referrals').select('id').where({ visit_id: id }))
    .update({ converted: 0 });
}

/** How many of each affiliate's visits are converted now and were not before. */
export async function markManyConverted(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const fresh = new Map<number, number>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK);
    const rows: Row[] = await db('visits')
      .select('affiliate_id')
      .count({ n: '*' })
      .whereIn('id', chunk)
      .where({ converted: 0 })
      .groupBy('affiliate_id');
    for (const row of rows)
      fresh.set(
        Number(row['affiliate_id']),
        (fresh.get(Number(row['affiliate_id'])) ?? 0) + Number(row['n']),
      );
    await db('visits').whereIn('id', chunk).where({ converted: 0 }).update({ converted: 1 });
  }
  return fresh;
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
): Promise<{ affiliate_id: number | null; visits: number; converted: number }[]> {
  const rows: Row[] = await db('visits')
    .select('affiliate_id')
    .count({ n: '*' })
    .sum({ converted: 'converted' })
    .whereIn('id', ids)
    .groupBy('affiliate_id')
    .orderBy('affiliate_id');
  return rows.map((row) => ({
    affiliate_id: number(row['affiliate_id']),
    visits: Number(row['n']),
    converted: Number(row['converted']),
  }));
}

export async function deleteVisits(db: Db, ids: readonly number[]): Promise<number> {
  return db('visits').whereIn('id', ids).delete();
}
