import { findRecord, lockRecord, type Matching } from '../../records/list.js';
import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { QueuedEvent, EventData } from '../../program/event-log/types.js';
import { endpoints, events, type Endpoint, type OutgoingEvent } from './record.js';

export interface WaitingEvent extends Omit<OutgoingEvent, 'data'> {
  readonly data: EventData | null;
  readonly stored: Row | null;
}

/** The oldest events that have no id yet. */
export async function waitingEvents(trx: Db, limit: number): Promise<WaitingEvent[]> {
  const rows: Row[] = await trx('event_queue').select().orderBy('id').limit(limit);
  return rows.map(waitingOf);
}

const waitingOf = (row: Row): WaitingEvent => ({
  ...events.fromRow(row),
  data: row['data'] === null ? null : readJson<EventData>(row['data'], {}),
  stored: row['stored_row'] === null ? null : readJson<Row>(row['stored_row'], {}),
});

/** These events as they are now, locked until the transaction ends. */
export async function lockWaiting(
  trx: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, WaitingEvent>> {
  const query = trx('event_queue').select().whereIn('id', ids).orderBy('id');
  const rows = (await trx.dialect.forUpdate(query)) as Row[];
  return new Map(rows.map((row) => [Number(row['id']), waitingOf(row)]));
}

export async function isWaiting(db: Db): Promise<boolean> {
  return (await db('event_queue').first('id')) !== undefined;
}

/** Gives events their ids in this order and returns these. */
export async function lineUp(
  trx: Db,
  queued: readonly (QueuedEvent & { readonly data: EventData })[],
): Promise<number[]> {
  return trx.dialect.insertMany(
    trx,
    'events',
    queued.map((event) => events.toRow(event)),
  );
}

export async function forgetWaiting(trx: Db, ids: readonly number[]): Promise<void> {
  await trx('event_queue').whereIn('id', ids).delete();
}

export async function findEvent(db: Db, id: number): Promise<OutgoingEvent | null> {
  const row: Row | undefined = await db('events').first(events.columns).where({ id });
  return row ? events.fromRow(row) : null;
}

export interface EventRange {
  readonly after: number;
  readonly types: readonly string[] | null;
  readonly limit: number;
}

/** Events after an id, oldest first. */
export async function eventsAfter(db: Db, { after, types, limit }: EventRange): Promise<OutgoingEvent[]> {
  const query = db('events').select(events.columns).where('id', '>', after).orderBy('id').limit(limit);
  if (types) query.whereIn('type', types);
  const rows: Row[] = await query;
  return rows.map(events.fromRow);
}

/** The id of the last event before an instant; 0 when there is none. */
export async function lastEventBefore(db: Db, instant: number): Promise<number> {
  const row: Row | undefined = await db('events').max({ id: 'id' }).where('created_at', '<', instant).first();
  return Number(row?.['id'] ?? 0);
}

export async function purgeEvents(db: Db, before: number): Promise<number> {
  return db('events').where('created_at', '<', before).delete();
}

/** All endpoints, oldest first; there are at most `MAX_ENDPOINTS`. */
export async function listEndpoints(db: Db): Promise<Endpoint[]> {
  const rows: Row[] = await db('webhook_endpoints').select(endpoints.columns).orderBy('id');
  return rows.map(endpoints.fromRow);
}

export const findEndpoint = (db: Db, id: number): Promise<Endpoint | null> =>
  findRecord(db, endpoints, { id });

export const lockEndpoint = (trx: Db, id: number): Promise<Endpoint | null> =>
  lockRecord(trx, endpoints, { id });

export async function insertEndpoint(trx: Db, endpoint: Omit<Endpoint, 'id'>): Promise<number> {
  return trx.dialect.insert(trx, 'webhook_endpoints', endpoints.toRow(endpoint));
}

export async function updateEndpoint(
  db: Db,
  id: number,
  changes: Partial<Omit<Endpoint, 'id'>>,
): Promise<boolean> {
  return (await db('webhook_endpoints').where({ id }).update(endpoints.toRow(changes))) === 1;
}

export async function deleteEndpoint(trx: Db, id: number): Promise<boolean> {
  await trx('outbox')
    .where({ channel: `webhook:${id}` })
    .delete();
  return (await trx('webhook_endpoints').where({ id }).delete()) === 1;
}

export interface DeliveryFilter {
  readonly endpoint: number;
  readonly status: string | null;
  readonly created: CreationRange;
}

export const deliveriesMatching =
  ({ endpoint, status, created }: DeliveryFilter): Matching =>
  (query) => {
    query.where({ channel: `webhook:${endpoint}`, ...(status !== null && { status }) });
    whereCreated(query, created);
  };

/** Makes a finished delivery wait again from its first try; false when there is none. */
export async function sendAgain(db: Db, endpoint: number, id: number, now: number): Promise<boolean> {
  return (
    (await db('outbox')
      .where({ id, channel: `webhook:${endpoint}` })
      .update({
        status: 'pending',
        attempts: 0,
        next_attempt_at: now,
        last_error: null,
        updated_at: now,
      })) === 1
  );
}

/** The same for all deliveries of events from an id on. Returns how many. */
export async function sendAllAgain(
  db: Db,
  endpoint: number,
  afterEvent: number,
  now: number,
): Promise<number> {
  return db('outbox')
    .where({ channel: `webhook:${endpoint}` })
    .where('event_id', '>', afterEvent)
    .update({ status: 'pending', attempts: 0, next_attempt_at: now, last_error: null, updated_at: now });
}

/**
 * Those of the affiliates whose balance in the program's currency has crossed the minimum since that was last
 * reported.
 */
export async function crossedThreshold(trx: Db, ids: readonly number[], minimum: number): Promise<number[]> {
  await trx('affiliates')
    .whereIn('id', ids)
    .where({ threshold_told: 1 })
    .where('unpaid_earnings_minor', '<', minimum)
    .update({ threshold_told: 0 });
  const rows: Row[] = await trx('affiliates')
    .select('id')
    .whereIn('id', ids)
    .where({ threshold_told: 0 })
    .where('unpaid_earnings_minor', '>=', minimum);
  const crossed = rows.map((row) => Number(row['id']));
  if (crossed.length > 0) await trx('affiliates').whereIn('id', crossed).update({ threshold_told: 1 });
  return crossed;
}

/** The sealed secret of each endpoint, and the one it replaces. */
export async function sealedSecrets(db: Db): Promise<{ id: number; sealed: readonly (string | null)[] }[]> {
  const rows = await db.readLocal(
    `select id, secret, former_secret from ${db.name('webhook_endpoints')}`,
    [],
  );
  return rows.map((row) => ({
    id: Number(row['id']),
    sealed: [String(row['secret']), row['former_secret'] === null ? null : String(row['former_secret'])],
  }));
}

export async function reseal(
  db: Db,
  id: number,
  [secret, former]: readonly (string | null)[],
): Promise<void> {
  await db('webhook_endpoints')
    .where({ id })
    .update({ secret, former_secret: former ?? null });
}
