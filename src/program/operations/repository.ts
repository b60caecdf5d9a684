import type { Db, Row } from '../../platform/database/db.js';
import { operations, type Operation } from './record.js';
import type { OperationKind } from './types.js';

export async function find(db: Db, kind: OperationKind, objectId: number): Promise<Operation | null> {
  const row: Row | undefined = await db('works')
    .first(operations.columns)
    .where({ kind, object_id: objectId });
  return row ? operations.fromRow(row) : null;
}

export async function list(db: Db, kinds: readonly OperationKind[]): Promise<Operation[]> {
  const rows: Row[] = await db('works')
    .select(operations.columns)
    .whereIn('kind', kinds)
    .orderBy('started_at');
  return rows.map((row) => operations.fromRow(row));
}

/** Work of the engine that is not stopped. */
export async function running(db: Db): Promise<Operation[]> {
  const rows: Row[] = await db('works')
    .select(operations.columns)
    .where({ state: 'running' })
    .orderBy('started_at');
  return rows.map((row) => operations.fromRow(row));
}

export async function put(db: Db, work: Operation, changing: readonly string[]): Promise<void> {
  await db.dialect.upsert(db, 'works', [operations.toRow(work)], ['kind', 'object_id'], changing);
}

export async function advance(db: Db, work: Operation, change: Partial<Operation>): Promise<void> {
  await db('works').where({ kind: work.kind, object_id: work.object_id }).update(operations.toRow(change));
}

/** False when it is in that state already, or has ended. */
export async function turn(
  db: Db,
  { kind, object_id }: Pick<Operation, 'kind' | 'object_id'>,
  state: 'running' | 'stopped',
): Promise<boolean> {
  const from = state === 'running' ? 'stopped' : 'running';
  const changed: number = await db('works')
    .where({ kind, object_id, state: from })
    .update({ state, failures: 0, reason: null, message: null });
  return changed === 1;
}

/** All stopped work is running again. */
export async function turnAll(db: Db): Promise<number> {
  return db('works')
    .where({ state: 'stopped' })
    .update({ state: 'running', failures: 0, reason: null, message: null });
}

export async function end(db: Db, kind: OperationKind, objectId: number): Promise<void> {
  await db('works').where({ kind, object_id: objectId }).delete();
}

export async function endReported(db: Db, kind: OperationKind, objectId: number): Promise<void> {
  await db('works').where({ kind, object_id: objectId, state: 'told' }).delete();
}

export async function endOthers(db: Db, kind: OperationKind): Promise<void> {
  await db('works').whereNot({ kind }).delete();
}
