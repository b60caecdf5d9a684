import { findRecord, lockRecord, type Matching } from '../../records/list.js';
import { chunks } from '../../core/chunks.js';
import { nameKey } from '../../core/text.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import { groups as record, KIND } from './record.js';
import type { Group, GroupListQuery, GroupValue } from './types.js';

const CHUNK = 1000;

/** Besides the value, the row has columns for lists and the key that makes names unique. */
const toRow = (name: string, value: GroupValue): Row => ({
  ...record.toRow({ meta_key: name, value }),
  name_key: nameKey(name),
  status: value.status,
  notes: value.notes,
});

const groups = (db: Db): ReturnType<Db> => db('meta').where(KIND);

export const findGroup = (db: Db, id: number): Promise<Group | null> =>
  findRecord(db, record, { ...KIND, id });

export const lockGroup = (trx: Db, id: number): Promise<Group | null> =>
  lockRecord(trx, record, { ...KIND, id });

export async function findGroups(db: Db, ids: readonly number[]): Promise<Group[]> {
  const found: Group[] = [];
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await groups(db).select(record.columns).whereIn('id', chunk);
    found.push(...rows.map(record.fromRow));
  }
  return found;
}

/** Every group by name, for selects. */
export async function groupNames(db: Db): Promise<{ id: number; name: string }[]> {
  const rows: Row[] = await groups(db)
    .select('id', 'meta_key')
    .orderBy([{ column: 'name_key' }, { column: 'id' }]);
  return rows.map((row) => ({ id: Number(row.id), name: String(row.meta_key) }));
}

export const groupsMatching =
  (db: Db, { search = '', status = '' }: GroupListQuery, created: CreationRange): Matching =>
  (query) => {
    query.where(KIND);
    whereCreated(query, created);
    if (status !== '' && status !== 'all') query.where({ status });
    if (search !== '') db.dialect.contains(query, ['meta_key', 'notes'], search);
  };

/** null when another group has this name; the unique key decides when two requests race. */
export async function insertGroup(
  trx: Db,
  name: string,
  value: GroupValue,
  now: number,
): Promise<number | null> {
  const row = { ...KIND, ...toRow(name, value), created_at: now, updated_at: now };
  return trx.dialect.insertIfAbsent(trx, 'meta', row, ['object_type', 'object_id', 'name_key']);
}

/** Throws the driver's unique violation when the name is taken. */
export async function updateGroup(
  trx: Db,
  group: Pick<Group, 'id' | 'meta_key' | 'value'>,
  now: number,
): Promise<void> {
  await groups(trx)
    .where({ id: group.id })
    .update({ ...toRow(group.meta_key, group.value), updated_at: now });
}

export async function deleteGroup(trx: Db, id: number): Promise<void> {
  await groups(trx).where({ id }).delete();
}
