import { whereCreated, type Created } from '../../records/filters.js';
import type { Db } from '../../platform/database/db.js';
import type { OutboxStatus } from '../../program/outbox/types.js';
import type { OutboxEntry } from './types.js';

type Row = Record<string, number | string | null>;

/** The last schema step, and the number of steps. */
export async function schemaState(db: Db): Promise<{ readonly step: string; readonly steps: number }> {
  const rows: { id: string }[] = await db('schema_steps').select('id').orderBy('id');
  return { step: rows.at(-1)?.id ?? '', steps: rows.length };
}

/** In bytes. */
export async function databaseSize(db: Db): Promise<number> {
  const [row] = await db.raw(db.dialect.sizeQuery);
  return Number(row?.['bytes'] ?? 0);
}

interface JobTimes {
  readonly name: string;
  readonly last_run_at: number;
  readonly next_run_at: number;
}

/** When each job ran last and will run next, in epoch milliseconds; 0 for never. */
export async function jobTimes(db: Db): Promise<JobTimes[]> {
  const rows: Row[] = await db('job_leases')
    .select('name', 'next_run_at', 'last_run_at')
    .where('name', 'like', 'job:%')
    .orderBy('name');
  return rows.map((row) => ({
    name: String(row['name']).slice('job:'.length),
    last_run_at: Number(row['last_run_at'] ?? 0),
    next_run_at: Number(row['next_run_at'] ?? 0),
  }));
}

interface OutboxCount {
  readonly channel: string;
  readonly status: OutboxStatus;
  readonly count: number;
}

export async function outboxCounts(db: Db): Promise<OutboxCount[]> {
  const rows: Row[] = await db('outbox')
    .select('channel', 'status')
    .count({ n: '*' })
    .groupBy('channel', 'status');
  return rows.map((row) => ({
    channel: String(row['channel']),
    status: row['status'] as OutboxStatus, // written by us only
    count: Number(row['n']),
  }));
}

export async function countOutbox(db: Db, filter: OutboxFilter): Promise<number> {
  const row: Row | undefined = await narrowed(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

export async function listOutbox(
  db: Db,
  filter: OutboxFilter,
  window: { limit: number; offset: number },
): Promise<OutboxEntry[]> {
  const rows: Row[] = await narrowed(db, filter)
    .select(
      'id',
      'channel',
      'kind',
      'recipient',
      'status',
      'attempts',
      'last_error',
      'next_attempt_at',
      'created_at',
    )
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => ({
    id: Number(row['id']),
    channel: String(row['channel']),
    kind: String(row['kind']),
    recipient: String(row['recipient']),
    status: row['status'] as OutboxStatus, // written by us only
    attempts: Number(row['attempts']),
    last_error: row['last_error'] === null ? null : String(row['last_error']),
    next_attempt_at: Number(row['next_attempt_at']),
    created_at: Number(row['created_at']),
  }));
}

/** Lets a dead entry be tried again from the start; false when there is none with this id. */
export async function revive(db: Db, id: number, now: number): Promise<boolean> {
  return (
    (await db('outbox')
      .where({ id, status: 'dead' })
      .update({ status: 'pending', attempts: 0, next_attempt_at: now, updated_at: now })) === 1
  );
}

/** A blank status means any. */
interface OutboxFilter {
  readonly status: string;
  readonly created: Created;
}

function narrowed(db: Db, { status, created }: OutboxFilter): ReturnType<Db> {
  const query = db('outbox');
  if (status !== '') query.where({ status });
  whereCreated(query, created);
  return query;
}
