import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import { claimed, type DueEntry } from './record.js';
import type { Channel, QueueEntry } from './types.js';

const DEFAULT: Channel = 'mail';

/**
 * Queues entries in the transaction that causes them. An entry with the same event and recipient does not
 * change.
 */
export async function enqueue(trx: Db, entries: readonly QueueEntry[], now: number): Promise<void> {
  const rows = entries.map((entry) => ({
    event: entry.event,
    recipient: entry.recipient,
    kind: entry.kind,
    payload: JSON.stringify(entry.payload),
    channel: entry.channel ?? DEFAULT,
    object_key: entry.object_key ?? null,
    event_id: entry.event_id ?? null,
    status: 'pending',
    attempts: 0,
    next_attempt_at: now + (entry.delayMs ?? 0),
    created_at: now,
    updated_at: now,
  }));
  if (rows.length > 0) await trx.dialect.upsert(trx, 'outbox', rows, ['event', 'recipient'], []);
}

const CHUNK = 500;

/** Entries that were skipped or canceled wait again from now on; others do not change. */
export async function revive(
  trx: Db,
  entries: readonly QueueEntry[],
  at: { readonly now: number; readonly delayMs: number },
): Promise<void> {
  for (const chunk of chunks(entries, CHUNK)) {
    await trx('outbox')
      .whereIn(
        'event',
        chunk.map(({ event }) => event),
      )
      .where({ status: 'skipped' })
      .update({ status: 'pending', attempts: 0, next_attempt_at: at.now + at.delayMs, updated_at: at.now });
  }
}

/** Marks waiting entries as skipped, but not those that were sent. */
export async function skip(trx: Db, entries: readonly QueueEntry[], now: number): Promise<void> {
  for (const chunk of chunks(entries, CHUNK)) {
    await trx('outbox')
      .whereIn(
        'event',
        chunk.map(({ event }) => event),
      )
      .where({ status: 'pending' })
      .update({ status: 'skipped', updated_at: now });
  }
}

/** Was this entry queued after that instant? */
export async function isQueuedSince(
  db: Db,
  entry: Pick<QueueEntry, 'event' | 'recipient'>,
  after: number,
): Promise<boolean> {
  const { event, recipient } = entry;
  return (
    (await db('outbox').first('id').where({ event, recipient }).where('created_at', '>', after)) !== undefined
  );
}

/** Those of the events with entries that wait. */
export async function waitingEvents(db: Db, events: readonly string[]): Promise<string[]> {
  const rows: { event: string }[] = await db('outbox')
    .distinct('event')
    .where({ status: 'pending' })
    .whereIn('event', [...events]);
  return rows.map(({ event }) => event);
}

/** The channels with an entry that is due. */
export async function dueChannels(db: Db, now: number): Promise<Channel[]> {
  const rows: { channel: Channel }[] = await db('outbox')
    .distinct('channel')
    .where({ status: 'pending' })
    .where('next_attempt_at', '<=', now);
  return rows.map(({ channel }) => channel);
}

export async function isDue(db: Db, channel: Channel, now: number): Promise<boolean> {
  const row: unknown = await db('outbox')
    .first('id')
    .where({ channel, status: 'pending' })
    .where('next_attempt_at', '<=', now);
  return row !== undefined;
}

export interface LeaseRequest {
  readonly channel: Channel;
  readonly worker: string;
  readonly now: number;
  readonly until: number;
  readonly limit: number;
}

/**
 * Claims the oldest due entries for this worker; a claim that is not finished in time can be taken by another
 * one.
 */
export async function lockDue(db: Db, request: LeaseRequest): Promise<DueEntry[]> {
  const { channel, worker, now, until, limit } = request;
  const outbox = db.name('outbox');
  const due: { id: number | string }[] = await db('outbox')
    .select('id')
    .where({ channel, status: 'pending' })
    .where('next_attempt_at', '<=', now)
    .where((free) => void free.whereNull('claimed_until').orWhere('claimed_until', '<', now))
    .whereRaw(
      `(object_key is null or not exists (select 1 from ${outbox} earlier where earlier.channel = ${outbox}.channel ` +
        `and earlier.object_key = ${outbox}.object_key and earlier.status = 'pending' and earlier.id < ${outbox}.id))`,
    )
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit);
  if (due.length === 0) return [];
  const ids = due.map((row) => Number(row.id));
  // On a cluster two workers may read the same rows; only one of the two updates succeeds.
  await db('outbox')
    .whereIn('id', ids)
    .where({ status: 'pending' })
    .where((free) => void free.whereNull('claimed_until').orWhere('claimed_until', '<', now))
    .update({ claimed_by: worker, claimed_until: until, updated_at: now });
  const mine: Row[] = await db('outbox')
    .select(claimed.columns)
    .where({ claimed_by: worker, status: 'pending' })
    .whereIn('id', ids)
    .orderBy('id');
  return mine.map(claimed.fromRow);
}

export async function finish(
  db: Db,
  id: number,
  worker: string,
  change: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await db('outbox')
    .where({ id, claimed_by: worker })
    .update({ ...change, claimed_by: null, claimed_until: null });
}

/** Frees the entries that a worker has claimed and not begun. */
export async function release(db: Db, worker: string): Promise<void> {
  await db('outbox')
    .where({ claimed_by: worker, status: 'pending' })
    .update({ claimed_by: null, claimed_until: null });
}

/**
 * Deletes old entries that are done. Dead mails are not deleted until a person handles them; dead deliveries
 * are listed with their endpoint.
 */
export async function purge(db: Db, before: number): Promise<number> {
  const ended = await db('outbox')
    .whereIn('status', ['sent', 'skipped'])
    .where('updated_at', '<', before)
    .delete();
  const deliveries = await db('outbox')
    .whereNot({ channel: DEFAULT })
    .where('created_at', '<', before)
    .delete();
  return Number(ended) + Number(deliveries);
}
