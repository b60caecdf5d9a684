import { whereCreated, type Created } from '../../records/filters.js';
import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { DeliveryStatus, StoredDelivery } from './types.js';

const COLUMNS = [
  'id',
  'provider',
  'delivery_key',
  'topic',
  'status',
  'attempts',
  'next_attempt_at',
  'claimed_at',
  'awaits_ref',
  'reason',
  'event',
  'received_at',
] as const;
const CHUNK = 500;

const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

const fromRow = (row: Row): StoredDelivery => ({
  id: Number(row['id']),
  provider: row['provider'] as string,
  delivery_key: row['delivery_key'] as string,
  topic: row['topic'] as string | null,
  status: row['status'] as DeliveryStatus,
  attempts: Number(row['attempts']),
  next_attempt_at: numberOrNull(row['next_attempt_at']),
  claimed_at: numberOrNull(row['claimed_at']),
  awaits_ref: row['awaits_ref'] as string | null,
  reason: row['reason'] as string | null,
  event: readJson(row['event'], null),
  received_at: Number(row['received_at']),
});

export interface NewDelivery {
  readonly provider: string;
  readonly delivery_key: string;
  readonly topic: string | null;
  readonly status: DeliveryStatus;
  readonly event: unknown;
  readonly reason?: string | null;
  readonly now: number;
}

/** The new id, claimed by the caller; null when this delivery is known. */
export async function insertDelivery(
  db: Db,
  { event, now, reason = null, ...row }: NewDelivery,
): Promise<number | null> {
  const full = {
    ...row,
    reason,
    event: event === null ? null : JSON.stringify(event),
    attempts: 0,
    claimed_at: now,
    received_at: now,
    updated_at: now,
  };
  return db.dialect.insertIfAbsent(db, 'provider_deliveries', full, ['provider', 'delivery_key']);
}

export async function findDelivery(db: Db, id: number): Promise<StoredDelivery | null> {
  const row = await db.lookUp('provider_deliveries', COLUMNS, { id });
  return row ? fromRow(row) : null;
}

export async function findDeliveryByKey(
  db: Db,
  provider: string,
  key: string,
): Promise<StoredDelivery | null> {
  const row = await db.lookUp('provider_deliveries', COLUMNS, { provider, delivery_key: key });
  return row ? fromRow(row) : null;
}

/** False when another process took it meanwhile. */
export async function claimDelivery(db: Db, seen: StoredDelivery, now: number): Promise<boolean> {
  const query = db('provider_deliveries').where({
    id: seen.id,
    status: seen.status,
    attempts: seen.attempts,
  });
  const same =
    seen.claimed_at === null ? query.whereNull('claimed_at') : query.where({ claimed_at: seen.claimed_at });
  return (
    Number(
      await same.update({
        status: 'processing',
        claimed_at: now,
        attempts: seen.attempts + 1,
        updated_at: now,
      }),
    ) === 1
  );
}

export interface DeliveryChange {
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly awaits_ref?: string | null;
  readonly next_attempt_at?: number | null;
  /** The content is no longer needed. */
  readonly forget?: boolean;
}

export async function changeDelivery(
  db: Db,
  id: number,
  { forget = false, awaits_ref = null, next_attempt_at = null, ...change }: DeliveryChange,
  now: number,
): Promise<void> {
  await db('provider_deliveries')
    .where({ id })
    .update({
      ...change,
      awaits_ref,
      next_attempt_at,
      claimed_at: null,
      updated_at: now,
      ...(forget && { event: null }),
    });
}

/** Deliveries that are due after a failure or a wait, and those whose process died. */
export async function dueDeliveries(
  db: Db,
  now: number,
  limits: { staleMs: number; limit: number },
): Promise<StoredDelivery[]> {
  const due: Row[] = await db('provider_deliveries')
    .select(COLUMNS)
    .whereIn('status', ['failed', 'received'])
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limits.limit);
  const stale: Row[] = await db('provider_deliveries')
    .select(COLUMNS)
    .where({ status: 'processing' })
    .where('claimed_at', '<=', now - limits.staleMs)
    .orderBy('id')
    .limit(limits.limit);
  return [...due, ...stale].map(fromRow);
}

/** Makes deliveries due that waited for one of these names; returns their ids, oldest first. */
export async function wakeDeliveries(
  trx: Db,
  provider: string,
  keys: readonly string[],
  now: number,
): Promise<number[]> {
  if (keys.length === 0) return [];
  const rows: Row[] = await trx('provider_deliveries')
    .select('id')
    .where({ provider, status: 'received' })
    .whereIn('awaits_ref', keys.slice(0, CHUNK))
    .orderBy('id')
    .limit(CHUNK);
  const ids = rows.map((row) => Number(row['id']));
  if (ids.length > 0)
    await trx('provider_deliveries')
      .whereIn('id', ids)
      .where({ status: 'received' })
      .update({ awaits_ref: null, next_attempt_at: now, updated_at: now });
  // A delivery that is just looking for its order sees by this that it has to look again.
  await trx('provider_deliveries')
    .where({ provider, status: 'processing' })
    .whereIn('awaits_ref', keys.slice(0, CHUNK))
    .update({ awaits_ref: null });
  return ids;
}

/** Puts a claimed row back that still waits for the same; false when what it waits for has arrived. */
export async function putBack(db: Db, { id, awaits_ref }: StoredDelivery, until: number): Promise<boolean> {
  const changed = await db('provider_deliveries')
    .where({ id, awaits_ref })
    .update({ status: 'received', reason: 'order_unknown', next_attempt_at: until, claimed_at: null });
  return Number(changed) === 1;
}

/** Deletes old rows; keys of finished deliveries stay for a while, to recognise late repeats. */
export async function purgeDeliveries(db: Db, before: { finished: number; bodies: number }): Promise<void> {
  await db('provider_deliveries')
    .whereIn('status', ['done', 'ignored', 'dead', 'failed'])
    .where('received_at', '<', before.finished)
    .delete();
  // Without a next attempt: they could not be read, or are not tried again.
  await db('provider_deliveries')
    .whereIn('status', ['dead', 'failed'])
    .whereNull('next_attempt_at')
    .whereNotNull('event')
    .where('received_at', '<', before.bodies)
    .update({ event: null });
}

/** Unfinished deliveries whose event holds this text. */
export async function deliveriesWith(
  db: Db,
  { text, provider, after, limit }: { text: string; provider: string | null; after: number; limit: number },
): Promise<StoredDelivery[]> {
  const query = db('provider_deliveries').select(COLUMNS).whereNotNull('event').where('id', '>', after);
  if (provider !== null) void query.where({ provider });
  void query.where((any) => {
    db.dialect.contains(any, ['event'], text);
  });
  const rows: Row[] = await query.orderBy('id').limit(limit);
  return rows.map(fromRow);
}

/** null: nothing is left to process. */
export async function rewriteDelivery(db: Db, id: number, event: unknown, now: number): Promise<void> {
  const change =
    event === null
      ? { event: null, status: 'ignored', reason: 'erased', next_attempt_at: null, awaits_ref: null }
      : { event: JSON.stringify(event) };
  await db('provider_deliveries')
    .where({ id })
    .update({ ...change, updated_at: now });
}

export interface DeliveryCount {
  readonly provider: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly count: number;
  readonly last: number;
}

export async function countDeliveries(db: Db): Promise<DeliveryCount[]> {
  const rows: Row[] = await db('provider_deliveries')
    .select('provider', 'status', 'reason')
    .count({ count: '*' })
    .max({ last: 'received_at' })
    .groupBy('provider', 'status', 'reason');
  return rows.map((row) => ({
    provider: row['provider'] as string,
    status: row['status'] as DeliveryStatus,
    reason: row['reason'] as string | null,
    count: Number(row['count']),
    last: Number(row['last']),
  }));
}

export interface IgnoredCount {
  readonly provider: string;
  readonly count: number;
  /** When the latest one arrived. */
  readonly last: number;
}

/** Number of deliveries, among those still stored, that were ignored for this reason, per provider. */
export async function countIgnored(db: Db, reason: string): Promise<IgnoredCount[]> {
  const rows: Row[] = await db('provider_deliveries')
    .select('provider')
    .count({ count: '*' })
    .max({ last: 'received_at' })
    .where({ status: 'ignored', reason })
    .groupBy('provider')
    .orderBy('provider');
  return rows.map((row) => ({
    provider: String(row['provider']),
    count: Number(row['count']),
    last: Number(row['last']),
  }));
}

/** A blank value means any. */
export interface ArrivalFilter {
  readonly provider: string;
  readonly status: string;
  readonly received: Created;
}

const arrivals = (db: Db, filter: ArrivalFilter): ReturnType<Db> => {
  const query = db('provider_deliveries');
  if (filter.provider !== '') query.where({ provider: filter.provider });
  if (filter.status !== '') query.where({ status: filter.status });
  whereCreated(query, filter.received, 'received_at');
  return query;
};

export async function countArrivals(db: Db, filter: ArrivalFilter): Promise<number> {
  const row: Row | undefined = await arrivals(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** Newest first. */
export async function listArrivals(
  db: Db,
  filter: ArrivalFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<StoredDelivery[]> {
  const rows: Row[] = await arrivals(db, filter)
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}
