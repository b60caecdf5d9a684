import { countOf, findRecord } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import { apiKeys, type ApiKey } from './record.js';

/** Finds a key by its public part, with the hash of its secret. */
export async function findByPublicPart(
  db: Db,
  publicPart: string,
): Promise<{ apiKey: ApiKey; secretHash: string } | null> {
  const row = await db.findByKey('api_keys', [...apiKeys.columns, 'secret_hash'], { key_id: publicPart });
  return row ? { apiKey: apiKeys.fromRow(row), secretHash: String(row['secret_hash']) } : null;
}

export const findApiKey = (db: Db, id: number): Promise<ApiKey | null> => findRecord(db, apiKeys, { id });

/** All of them, newest first; there are at most `MAX_API_KEYS`. */
export async function listApiKeys(db: Db): Promise<ApiKey[]> {
  const rows: Row[] = await db('api_keys').select(apiKeys.columns).orderBy('id', 'desc');
  return rows.map(apiKeys.fromRow);
}

/** The keys a user owns or made. */
export async function apiKeysOfUser(db: Db, userId: number): Promise<ApiKey[]> {
  const rows: Row[] = await db('api_keys')
    .select(apiKeys.columns)
    .where((either) => void either.where({ user_id: userId }).orWhere({ created_by: userId }))
    .orderBy('id');
  return rows.map(apiKeys.fromRow);
}

export async function countApiKeys(db: Db): Promise<number> {
  return countOf(db('api_keys'));
}

/** The new id, or null when the public part is taken. */
export async function insertApiKey(
  db: Db,
  { secret_hash, ...key }: Omit<ApiKey, 'id'> & { readonly secret_hash: string },
): Promise<number | null> {
  return db.dialect.insertIfAbsent(db, 'api_keys', { ...apiKeys.toRow(key), secret_hash }, ['key_id']);
}

export async function updateApiKey(
  db: Db,
  id: number,
  { name, rights, expires_at, updated_at }: ApiKey,
): Promise<boolean> {
  const changes = apiKeys.toRow({ name, rights, expires_at, updated_at });
  return (await db('api_keys').where({ id }).update(changes)) === 1;
}

export async function deleteApiKey(db: Db, id: number): Promise<boolean> {
  return (await db('api_keys').where({ id }).delete()) === 1;
}

/** Writes at most once a minute, however many processes there are. */
export async function markUsed(db: Db, id: number, minute: number): Promise<void> {
  await db('api_keys')
    .where({ id })
    .where((stale) => void stale.whereNull('last_used_at').orWhere('last_used_at', '<', minute))
    .update({ last_used_at: minute });
}
