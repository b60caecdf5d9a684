import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../database/db.js';
import { nextDue } from './schedule.js';
import type { Creative, CreativeFields, CreativeMeta } from './types.js';

export const COLUMNS = [
  'id',
  'name',
  'description',
  'type',
  'image',
  'text',
  'url',
  'privacy',
  'status',
  'starts_at',
  'ends_at',
  'meta',
  'created_at',
  'updated_at',
] as const;

const CHUNK = 500;
const TARGETS = {
  affiliate_ids: ['creative_affiliates', 'affiliate_id'],
  group_ids: ['creative_groups', 'group_id'],
} as const;
type Targets = Pick<Creative, 'affiliate_ids' | 'group_ids'>;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const time = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

const fromRow = (row: Row, targets: Targets): Creative => ({
  id: Number(row.id),
  name: String(row.name),
  description: text(row.description),
  type: String(row.type) as Creative['type'],
  image: text(row.image),
  text: text(row.text),
  url: String(row.url),
  privacy: row.privacy === 'private' ? 'private' : 'public',
  status: String(row.status) as Creative['status'],
  starts_at: time(row.starts_at),
  ends_at: time(row.ends_at),
  meta: readMeta(row.meta),
  ...targets,
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

function readMeta(stored: unknown): CreativeMeta {
  const meta = readJson<unknown>(stored, {});
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as CreativeMeta) : {};
}

const toRow = ({
  affiliate_ids: _affiliates,
  group_ids: _groups,
  meta,
  ...columns
}: CreativeFields): Row => ({ ...columns, meta: JSON.stringify(meta), next_due_at: nextDue(columns) });

/** Rows with the affiliates and groups they are for: two more statements, however many rows. */
export async function withTargets(db: Db, rows: readonly Row[]): Promise<Creative[]> {
  const ids = rows.map((row) => Number(row.id));
  const affiliates = await targetsOf(db, 'affiliate_ids', ids);
  const groups = await targetsOf(db, 'group_ids', ids);
  return rows.map((row) => {
    const id = Number(row.id);
    return fromRow(row, { affiliate_ids: affiliates.get(id) ?? [], group_ids: groups.get(id) ?? [] });
  });
}

async function targetsOf(
  db: Db,
  key: keyof Targets,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const [table, column] = TARGETS[key];
  const found = new Map<number, number[]>();
  if (ids.length === 0) return found;
  const rows: Row[] = await db(table)
    .select('creative_id', column)
    .whereIn('creative_id', ids)
    .orderBy([{ column: 'creative_id' }, { column }]);
  for (const row of rows)
    found.set(Number(row.creative_id), [...(found.get(Number(row.creative_id)) ?? []), Number(row[column])]);
  return found;
}

/** As stored: `status` is the one last announced. */
export async function findCreative(db: Db, id: number): Promise<Creative | null> {
  const rows: Row[] = await db('creatives').select(COLUMNS).where({ id });
  return (await withTargets(db, rows))[0] ?? null;
}

export async function findCreatives(db: Db, ids: readonly number[]): Promise<Creative[]> {
  return withTargets(db, await db('creatives').select(COLUMNS).whereIn('id', ids));
}

export async function lockCreative(trx: Db, id: number): Promise<Creative | null> {
  const rows: Row[] = await trx.dialect.forUpdate(trx('creatives').select(COLUMNS).where({ id }));
  return (await withTargets(trx, rows))[0] ?? null;
}

export async function insertCreative(trx: Db, fields: CreativeFields, now: number): Promise<number> {
  const id = await trx.dialect.insert(trx, 'creatives', {
    ...toRow(fields),
    created_at: now,
    updated_at: now,
  });
  await replaceTargets(trx, id, fields);
  return id;
}

export async function updateCreative(
  trx: Db,
  id: number,
  fields: CreativeFields,
  now: number,
): Promise<void> {
  await trx('creatives')
    .where({ id })
    .update({ ...toRow(fields), updated_at: now });
  await replaceTargets(trx, id, fields);
}

async function replaceTargets(trx: Db, creativeId: number, fields: Targets): Promise<void> {
  for (const key of ['affiliate_ids', 'group_ids'] as const) {
    const [table, column] = TARGETS[key];
    await trx(table).where({ creative_id: creativeId }).delete();
    const rows = fields[key].map((id) => ({ creative_id: creativeId, [column]: id }));
    for (let at = 0; at < rows.length; at += CHUNK) await trx(table).insert(rows.slice(at, at + CHUNK));
  }
}

/** Stores what the clock made of a status; the material itself stays as old as it was. */
export async function storeStatus(
  trx: Db,
  creative: Pick<Creative, 'id' | 'status' | 'starts_at' | 'ends_at'>,
): Promise<void> {
  await trx('creatives')
    .where({ id: creative.id })
    .update({ status: creative.status, next_due_at: nextDue(creative) });
}

/** Creatives whose start or end has come, longest due first. */
export async function dueIds(db: Db, now: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('creatives')
    .select('id')
    .where('next_due_at', '<=', now)
    .orderBy([{ column: 'next_due_at' }, { column: 'id' }])
    .limit(limit);
  return rows.map((row) => Number(row.id));
}

/** Its lists of affiliates and groups go with it by their foreign keys. */
export async function deleteCreative(trx: Db, id: number): Promise<void> {
  await trx('creatives').where({ id }).delete();
}
