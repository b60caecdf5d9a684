import type { KeyRight } from '../../platform/access/key-rights.js';
import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { ApiKey } from './types.js';

const COLUMNS = [
  'id',
  'key_id',
  'user_id',
  'name',
  'rights',
  'created_by',
  'expires_at',
  'last_used_at',
  'created_at',
  'updated_at',
] as const;

const orNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

const fromRow = (row: Row): ApiKey => ({
  id: Number(row['id']),
  key_id: String(row['key_id']),
  user_id: Number(row['user_id']),
  name: String(row['name']),
  rights: readJson<KeyRight[]>(row['rights'], []),
  created_by: orNull(row['created_by']),
  expires_at: orNull(row['expires_at']),
  last_used_at: orNull(row['last_used_at']),
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
});

/** Finds a key by its public part, with the hash of its secret. */
export async function findByPublicPart(
  db: Db,
  publicPart: string,
): Promise<{ apiKey: ApiKey; secretHash: string } | null> {
  const row = await db.lookUp('api_keys', [...COLUMNS, 'secret_hash'], { key_id: publicPart });
  return row ? { apiKey: fromRow(row), secretHash: String(row['secret_hash']) } : null;
}

export async function findApiKey(db: Db, id: number): Promise<ApiKey | null> {
  const row = await db.lookUp('api_keys', COLUMNS, { id });
  return row ? fromRow(row) : null;
}

/** All of them, newest first; there are at most `MAX_API_KEYS`. */
export async function listApiKeys(db: Db): Promise<ApiKey[]> {
  const rows: Row[] = await db('api_keys').select(COLUMNS).orderBy('id', 'desc');
  return rows.map(fromRow);
}

export async function apiKeysOfUser(db: Db, userId: number): Promise<ApiKey[]> {
  const rows: Row[] = await db('api_keys').select(COLUMNS).where({ user_id: userId }).orderBy('id');
  return rows.map(fromRow);
}

export async function countApiKeys(db: Db): Promise<number> {
  const row: Row | undefined = await db('api_keys').count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** The new id, or null when the public part is taken. */
export async function insertApiKey(
  db: Db,
  { rights, ...key }: Omit<ApiKey, 'id'> & { readonly secret_hash: string },
): Promise<number | null> {
  return db.dialect.insertIfAbsent(db, 'api_keys', { ...key, rights: JSON.stringify(rights) }, ['key_id']);
}

export async function updateApiKey(
  db: Db,
  id: number,
  { name, rights, expires_at, updated_at }: ApiKey,
): Promise<boolean> {
  const changes = { name, rights: JSON.stringify(rights), expires_at, updated_at };
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
