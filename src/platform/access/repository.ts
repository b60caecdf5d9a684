import type { Db } from '../database/db.js';
import { readJson } from '../../core/json.js';
import { normalizePermissions, type PermissionKey } from './keys.js';

const KEY = '_fa_access_permissions';
const OBJECT_TYPE = 'user_meta';

interface Row {
  readonly object_id: number | string;
  readonly value: unknown;
}

/** A stored list is checked again on every read: a value of another shape counts as empty. */
const fromRow = ({ value }: Pick<Row, 'value'>): PermissionKey[] =>
  normalizePermissions(readJson<unknown>(value, null));

const ofUser = (userId: number): Readonly<Record<string, string | number>> => ({
  object_type: OBJECT_TYPE,
  object_id: userId,
  name_key: KEY,
});

export async function readPermissions(db: Db, userId: number): Promise<PermissionKey[]> {
  const row = await db.findByKey('meta', ['value'], ofUser(userId));
  return row === undefined ? [] : fromRow({ value: row['value'] });
}

/** The list as it is right before it is replaced. */
export async function lockPermissions(trx: Db, userId: number): Promise<PermissionKey[]> {
  const row: Row | undefined = await trx.dialect.forUpdate(trx('meta').first('value').where(ofUser(userId)));
  return row === undefined ? [] : fromRow(row);
}

/** Every user with a non-empty list, by user id. */
export async function listPermissions(db: Db): Promise<Map<number, PermissionKey[]>> {
  const rows: Row[] = await db('meta')
    .select(['object_id', 'value'])
    .where({ object_type: OBJECT_TYPE, name_key: KEY })
    .orderBy('object_id');
  return new Map(
    rows
      .map((row): [number, PermissionKey[]] => [Number(row.object_id), fromRow(row)])
      .filter(([, keys]) => keys.length > 0),
  );
}

export async function writePermissions(
  trx: Db,
  userId: number,
  keys: readonly PermissionKey[],
  now: number,
): Promise<void> {
  const row = {
    object_type: OBJECT_TYPE,
    object_id: userId,
    meta_key: KEY,
    name_key: KEY,
    value: JSON.stringify(keys),
    created_at: now,
    updated_at: now,
  };
  await trx.dialect.upsert(
    trx,
    'meta',
    [row],
    ['object_type', 'object_id', 'name_key'],
    ['value', 'updated_at'],
  );
}

/** Also removes a row whose list is unreadable. */
export async function deletePermissions(trx: Db, userId: number): Promise<void> {
  await trx('meta').where({ object_type: OBJECT_TYPE, object_id: userId, name_key: KEY }).delete();
}
