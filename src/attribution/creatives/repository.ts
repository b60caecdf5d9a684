import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { RecordOf } from '../../records/record.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { creatives } from './record.js';
import { nextDue } from './schedule.js';
import type { Creative, CreativeFields } from './types.js';

const CHUNK = 500;
const TARGETS = {
  affiliate_ids: ['creative_affiliates', 'affiliate_id'],
  group_ids: ['creative_groups', 'group_id'],
} as const;
type Columns = RecordOf<typeof creatives>;
type Targets = Pick<Creative, 'affiliate_ids' | 'group_ids'>;

const toRow = ({ affiliate_ids: _affiliates, group_ids: _groups, ...columns }: CreativeFields): Row => ({
  ...creatives.toRow(columns),
  next_due_at: nextDue(columns),
});

/** Adds the affiliates and groups they are for, by two more statements however many creatives. */
export async function withTargets(db: Db, found: readonly Columns[]): Promise<Creative[]> {
  const ids = found.map(({ id }) => id);
  const [affiliates, groups] = await db.pipeline(
    () => targetsOf(db, 'affiliate_ids', ids),
    () => targetsOf(db, 'group_ids', ids),
  );
  return found.map((creative) => ({
    ...creative,
    affiliate_ids: affiliates.get(creative.id) ?? [],
    group_ids: groups.get(creative.id) ?? [],
  }));
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

const one = async (db: Db, rows: Row[]): Promise<Creative | null> =>
  (await withTargets(db, rows.map(creatives.fromRow)))[0] ?? null;

/** The stored row: its `status` is the one announced last. */
export async function findCreative(db: Db, id: number): Promise<Creative | null> {
  return one(db, await db('creatives').select(creatives.columns).where({ id }));
}

export async function findCreatives(db: Db, ids: readonly number[]): Promise<Creative[]> {
  const rows: Row[] = await db('creatives').select(creatives.columns).whereIn('id', ids);
  return withTargets(db, rows.map(creatives.fromRow));
}

export async function lockCreative(trx: Db, id: number): Promise<Creative | null> {
  return one(trx, await trx.dialect.forUpdate(trx('creatives').select(creatives.columns).where({ id })));
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
    for (const chunk of chunks(rows, CHUNK)) await trx(table).insert(chunk);
  }
}

/** Stores a status that the schedule has changed, without touching `updated_at`. */
export async function storeStatus(
  trx: Db,
  creative: Pick<Creative, 'id' | 'status' | 'starts_at' | 'ends_at'>,
): Promise<void> {
  await trx('creatives')
    .where({ id: creative.id })
    .update({ status: creative.status, next_due_at: nextDue(creative) });
}

/** Creatives whose start or end has passed, those due longest first. */
export async function dueIds(db: Db, now: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('creatives')
    .select('id')
    .where('next_due_at', '<=', now)
    .orderBy([{ column: 'next_due_at' }, { column: 'id' }])
    .limit(limit);
  return rows.map((row) => Number(row.id));
}

/** Deletes a creative; its foreign keys delete the lists of affiliates and groups. */
export async function deleteCreative(trx: Db, id: number): Promise<void> {
  await trx('creatives').where({ id }).delete();
}

/** Where both accounts have a creative, only the entry of the remaining one is left. */
export async function dropGivenTwice(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
  const kept: Row[] = await trx('creative_affiliates').select('creative_id').where({ affiliate_id: into });
  const ids = kept.map((row) => Number(row['creative_id']));
  for (const chunk of chunks(ids, CHUNK))
    await trx('creative_affiliates').where({ affiliate_id: from }).whereIn('creative_id', chunk).delete();
}
