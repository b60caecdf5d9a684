import { readJson } from '../../core/json.js';
import { parseRate } from '../../core/rate.js';
import { nameKey } from '../../core/text.js';
import type { Db, Row } from '../../database/db.js';
import type { Group, GroupListQuery, GroupValue } from './types.js';
import { GROUP_DEFAULTS } from './value.js';

const COLUMNS = ['id', 'meta_key', 'value', 'created_at', 'updated_at'] as const;
const KIND = { object_type: 'affiliate_group', object_id: 0 } as const;
const CHUNK = 1000;

function fromRow(row: Row): Group {
  const stored = readJson<Partial<GroupValue>>(row.value, {});
  const value = { ...GROUP_DEFAULTS, ...stored } as GroupValue;
  return {
    id: Number(row.id),
    meta_key: String(row.meta_key),
    rate_type: value.rate_type,
    rate_e4: parseRate(value.rate) ?? 0,
    status: value.status,
    value,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}

const toRow = (name: string, value: GroupValue): Row => ({
  meta_key: name,
  name_key: nameKey(name),
  value: JSON.stringify(value),
  status: value.status,
  notes: value.notes,
});

const groups = (db: Db): ReturnType<Db> => db('meta').where(KIND);

export async function findGroup(db: Db, id: number): Promise<Group | null> {
  const row = await db.lookUp('meta', COLUMNS, { ...KIND, id });
  return row ? fromRow(row) : null;
}

export async function lockGroup(trx: Db, id: number): Promise<Group | null> {
  const row: Row | undefined = await trx.dialect.forUpdate(groups(trx).first(COLUMNS).where({ id }));
  return row ? fromRow(row) : null;
}

export async function findGroups(db: Db, ids: readonly number[]): Promise<Group[]> {
  const found: Group[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows: Row[] = await groups(db)
      .select(COLUMNS)
      .whereIn('id', ids.slice(at, at + CHUNK));
    found.push(...rows.map(fromRow));
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

function matching(db: Db, { search = '', status = '' }: GroupListQuery): ReturnType<Db> {
  const query = groups(db);
  if (status !== '' && status !== 'all') query.where({ status });
  if (search !== '') db.dialect.contains(query, ['meta_key', 'notes'], search);
  return query;
}

export async function countGroups(db: Db, query: GroupListQuery): Promise<number> {
  const row: Row | undefined = await matching(db, query).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

export async function listGroups(db: Db, query: GroupListQuery, offset: number): Promise<Group[]> {
  const rows: Row[] = await matching(db, query)
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(query.per_page)
    .offset(offset);
  return rows.map(fromRow);
}

/** null when another group has this name; the unique key decides a race. */
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
