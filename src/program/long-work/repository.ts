import type { Db, Row } from '../../platform/database/db.js';
import { works, type Work } from './record.js';
import type { WorkKind } from './types.js';

export async function find(db: Db, kind: WorkKind, objectId: number): Promise<Work | null> {
  const row: Row | undefined = await db('works').first(works.columns).where({ kind, object_id: objectId });
  return row ? works.fromRow(row) : null;
}

export async function list(db: Db, kinds: readonly WorkKind[]): Promise<Work[]> {
  const rows: Row[] = await db('works').select(works.columns).whereIn('kind', kinds).orderBy('started_at');
  return rows.map((row) => works.fromRow(row));
}

/** Work of the engine that nobody has stopped. */
export async function running(db: Db): Promise<Work[]> {
  const rows: Row[] = await db('works')
    .select(works.columns)
    .where({ state: 'running' })
    .orderBy('started_at');
  return rows.map((row) => works.fromRow(row));
}

export async function put(db: Db, work: Work, changing: readonly string[]): Promise<void> {
  await db.dialect.upsert(db, 'works', [works.toRow(work)], ['kind', 'object_id'], changing);
}

export async function advance(db: Db, work: Work, change: Partial<Work>): Promise<void> {
  await db('works').where({ kind: work.kind, object_id: work.object_id }).update(works.toRow(change));
}

/** False when it is in that state already, or gone. */
export async function turn(
  db: Db,
  { kind, object_id }: Pick<Work, 'kind' | 'object_id'>,
  state: 'running' | 'stopped',
): Promise<boolean> {
  const from = state === 'running' ? 'stopped' : 'running';
  const changed: number = await db('works')
    .where({ kind, object_id, state: from })
    .update({ state, failures: 0, ...(state === 'running' && { reason: null }) });
  return changed === 1;
}

export async function end(db: Db, kind: WorkKind, objectId: number): Promise<void> {
  await db('works').where({ kind, object_id: objectId }).delete();
}

export async function endReported(db: Db, kind: WorkKind, objectId: number): Promise<void> {
  await db('works').where({ kind, object_id: objectId, state: 'told' }).delete();
}

export async function endOthers(db: Db, kind: WorkKind): Promise<void> {
  await db('works').whereNot({ kind }).delete();
}
