import type { Db, Hits, Row } from '../../platform/database/db.js';

// The tracker's tables: visit_keys, rate_limits (clicks per address) and skip_counts. It only reads
// affiliates.

/** Looks for a value of an imported system; when it has several kinds, the first kind given wins. */
export async function findIdByAliases(
  db: Db,
  kinds: readonly string[],
  value: string,
): Promise<number | null> {
  const rows: Row[] = await db('affiliate_names')
    .select('space', 'affiliate_id')
    .where({ name: value })
    .whereIn('space', [...kinds]);
  const [first] = rows.sort((a, b) => kinds.indexOf(String(a['space'])) - kinds.indexOf(String(b['space'])));
  return first ? Number(first['affiliate_id']) : null;
}

export async function findIdBySource(db: Db, key: string): Promise<number | null> {
  const row = await db.findByKey('affiliates', ['id'], { source_key: key });
  return row ? Number(row['id']) : null;
}

/** The affiliate of an imported visit. */
export async function findIdByVisit(db: Db, key: string): Promise<number | null> {
  const row = await db.findByKey('visits', ['affiliate_id'], { source_key: key });
  return row?.['affiliate_id'] ? Number(row['affiliate_id']) : null;
}

export async function readStatuses(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows: Row[] = await db('affiliates').select('id', 'status').whereIn('id', ids);
  return new Map(rows.map((row) => [Number(row['id']), String(row['status'])]));
}

export interface VisitOfKey {
  readonly visit_id: number;
  readonly created_at: number;
}

export async function findVisitKeys(
  db: Db,
  keys: readonly string[],
): Promise<ReadonlyMap<string, VisitOfKey>> {
  if (keys.length === 0) return new Map();
  const rows = await db.readLocal(
    `select visit_key, visit_id, created_at from ${db.name('visit_keys')} ` +
      `where visit_key in (${keys.map(() => '?').join(', ')})`,
    keys,
  );
  return new Map(
    rows.map((row) => [
      String(row['visit_key']),
      { visit_id: Number(row['visit_id']), created_at: Number(row['created_at']) },
    ]),
  );
}

/** Fails when a key exists: two processes counted the same visitor, and the group runs again. */
export async function insertVisitKeys(
  db: Db,
  rows: readonly { visit_key: string; visit_id: number; created_at: number }[],
): Promise<void> {
  if (rows.length > 0) await db.dialect.insertRows(db, 'visit_keys', rows);
}

export async function deleteVisitKeys(db: Db, before: number): Promise<number> {
  return db('visit_keys').where('created_at', '<', before).delete();
}

/** Counts new visits per address, and returns how many each address has in its current hour. */
export async function countNewVisits(
  db: Db,
  hits: readonly Hits[],
  at: { readonly now: number; readonly limit: number },
): Promise<Map<string, number>> {
  const rows = await db.dialect.countHits(db, hits, at);
  return new Map(rows.map((row) => [String(row['limit_key']), Number(row['points'])]));
}

export async function addSkips(
  db: Db,
  skips: readonly { day: number; reason: string; hits: number }[],
): Promise<void> {
  const rows = skips.map((skip) => ({ ...skip, kind: 'visit' }));
  await db.dialect.addTo(db, 'skip_counts', rows, ['day', 'kind', 'reason'], ['hits']);
}

export async function readSkips(
  db: Db,
  days: { from: number; to: number },
  kind: 'visit' | 'conversion' = 'visit',
): Promise<{ day: number; reason: string; hits: number }[]> {
  const rows: Row[] = await db('skip_counts')
    .select('day', 'reason', 'hits')
    .where({ kind })
    .whereBetween('day', [days.from, days.to])
    .orderBy(['day', 'reason']);
  return rows.map((row) => ({
    day: Number(row['day']),
    reason: String(row['reason']),
    hits: Number(row['hits']),
  }));
}
