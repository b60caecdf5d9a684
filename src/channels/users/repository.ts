import { chunks } from '../../core/chunks.js';
import type { Db } from '../../platform/database/db.js';

const CHUNK = 1000;

/** The integer for a text id of the host, if it has one; makes none. */
export async function integerOf(db: Db, hostId: string): Promise<number | null> {
  const row: { id: number | string } | undefined = await db('host_users')
    .first('id')
    .where({ host_id: hostId });
  return row ? Number(row.id) : null;
}

/** A page of users who are affiliates, by affiliate id. */
export async function usersOfAffiliates(
  db: Db,
  after: number,
  limit: number,
): Promise<{ readonly id: number; readonly userId: number }[]> {
  const rows: { id: number | string; user_id: number | string }[] = await db('affiliates')
    .select(['id', 'user_id'])
    .where('id', '>', after)
    .whereNotNull('user_id')
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => ({ id: Number(row.id), userId: Number(row.user_id) }));
}

/** Stores who is missing, and forgets those who are back. */
export async function noteMissing(trx: Db, missing: ReadonlySet<number>, now: number): Promise<void> {
  const known: { user_id: number | string }[] = await trx('missing_users').select('user_id');
  const back = known.map((row) => Number(row.user_id)).filter((id) => !missing.has(id));
  for (const chunk of chunks(back, CHUNK)) await trx('missing_users').whereIn('user_id', chunk).delete();
  const rows = [...missing].map((user_id) => ({ user_id, created_at: now }));
  for (const chunk of chunks(rows, CHUNK))
    await trx.dialect.upsert(trx, 'missing_users', chunk, ['user_id'], ['user_id']);
}

/** Those who have been missing since before `before`. */
export async function missingSince(db: Db, before: number): Promise<number[]> {
  const rows: { user_id: number | string }[] = await db('missing_users')
    .select('user_id')
    .where('created_at', '<=', before)
    .orderBy('user_id');
  return rows.map((row) => Number(row.user_id));
}

export async function forgetMissing(trx: Db, userId: number): Promise<void> {
  await trx('missing_users').where({ user_id: userId }).delete();
}
