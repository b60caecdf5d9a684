import { countOf } from '../../records/list.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Db } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { OutboxStatus } from '../../program/outbox/types.js';
import { outboxEntries, type OutboxEntry } from './record.js';

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
  return countOf(narrowed(db, filter));
}

export async function listOutbox(
  db: Db,
  filter: OutboxFilter,
  window: { limit: number; offset: number },
): Promise<OutboxEntry[]> {
  const rows: Row[] = await narrowed(db, filter)
    .select(outboxEntries.columns)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map((row) => outboxEntries.fromRow(row));
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
  readonly created: CreationRange;
}

function narrowed(db: Db, { status, created }: OutboxFilter): ReturnType<Db> {
  const query = db('outbox');
  if (status !== '') query.where({ status });
  whereCreated(query, created);
  return query;
}

export async function highestId(db: Db, table: TableName): Promise<number> {
  const row: Row | undefined = await db(table).max({ id: 'id' }).first();
  return Number(row?.['id'] ?? 0);
}

/** When the newest row was written, and the highest ids of payouts and payments. */
export async function lastRows(db: Db): Promise<{ at: number; payout: number; transaction: number }> {
  let at = 0;
  for (const table of ['visits', 'order_facts', 'referrals', 'events', 'audit'] as const) {
    const row: Row | undefined = await db(table).select('created_at').orderBy('id', 'desc').first();
    at = Math.max(at, Number(row?.['created_at'] ?? 0));
  }
  return {
    at,
    payout: await highestId(db, 'payouts'),
    transaction: await highestId(db, 'payout_transactions'),
  };
}

export async function countWaiting(db: Db): Promise<number> {
  return countOf(db('outbox').where({ status: 'pending' }));
}

/** Marks all waiting messages as skipped. Returns how many. */
export async function skipWaiting(db: Db, now: number): Promise<number> {
  return db('outbox').where({ status: 'pending' }).update({ status: 'skipped', updated_at: now });
}

/** Retries all dead entries from the start. Returns how many. */
export async function reviveAll(db: Db, now: number): Promise<number> {
  return db('outbox')
    .where({ status: 'dead' })
    .update({ status: 'pending', attempts: 0, next_attempt_at: now, updated_at: now });
}

/** All jobs run at the next look. */
export async function makeJobsDue(db: Db): Promise<void> {
  await db('job_leases').where('name', 'like', 'job:%').update({ next_run_at: 0 });
}
