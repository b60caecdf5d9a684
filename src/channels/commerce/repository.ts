import { findRecord, type Matching } from '../../records/list.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { Unreadable } from './unreadable.js';
import { deliveries, type DeliveryStatus, type DeliveryRow } from './record.js';

const CHUNK = 500;
/** Reports of one order that are kept. */
const KEPT_MAX = 20;

export interface NewDelivery {
  readonly provider: string;
  readonly delivery_key: string;
  readonly topic: string | null;
  readonly status: DeliveryStatus;
  readonly event: DeliveryRow['event'] | Readonly<Unreadable>;
  readonly reason?: string | null;
  readonly now: number;
}

/** The new id, claimed by the caller; null when this delivery is known. */
export async function insertDelivery(
  db: Db,
  { event, now, reason = null, ...row }: NewDelivery,
): Promise<number | null> {
  const full = { ...row, reason, attempts: 0, claimed_at: now, received_at: now, updated_at: now };
  const stored = { ...deliveries.toRow(full), event: event && JSON.stringify(event) };
  return db.dialect.insertIfAbsent(db, 'provider_deliveries', stored, ['provider', 'delivery_key']);
}

/** A delivery that could not be read gives way to one with the same key that can. */
export async function forgetUnreadable(trx: Db, provider: string, key: string): Promise<void> {
  await trx('provider_deliveries')
    .where({ provider, delivery_key: key, status: 'failed', reason: 'parse_failed' })
    .delete();
}

export const findDelivery = (db: Db, id: number): Promise<DeliveryRow | null> =>
  findRecord(db, deliveries, { id });

export const findDeliveryByKey = (db: Db, provider: string, key: string): Promise<DeliveryRow | null> =>
  findRecord(db, deliveries, { provider, delivery_key: key });

/** False when another process took it meanwhile. */
export async function lockDelivery(db: Db, seen: DeliveryRow, now: number): Promise<boolean> {
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
  /** What is left of its content; absent: all of it. */
  readonly event?: DeliveryRow['event'];
}

export async function changeDelivery(
  db: Db,
  id: number,
  { event, awaits_ref = null, next_attempt_at = null, ...change }: DeliveryChange,
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
      ...(event !== undefined && { event: event && JSON.stringify(event) }),
    });
}

/** Deliveries that are due after a failure or a wait, and those whose process died. */
export async function dueDeliveries(
  db: Db,
  now: number,
  limits: { staleMs: number; limit: number },
): Promise<DeliveryRow[]> {
  const due: Row[] = await db('provider_deliveries')
    .select(deliveries.columns)
    .whereIn('status', ['failed', 'received'])
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limits.limit);
  const stale: Row[] = await db('provider_deliveries')
    .select(deliveries.columns)
    .where({ status: 'processing' })
    .where('claimed_at', '<=', now - limits.staleMs)
    .orderBy('id')
    .limit(limits.limit);
  return [...due, ...stale].map(deliveries.fromRow);
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
export async function putBack(db: Db, { id, awaits_ref }: DeliveryRow, until: number): Promise<boolean> {
  const changed = await db('provider_deliveries')
    .where({ id, awaits_ref })
    .update({ status: 'received', reason: 'order_unknown', next_attempt_at: until, claimed_at: null });
  return Number(changed) === 1;
}

/** Deletes old rows. Keys of finished deliveries are deleted later, as they identify late repeats. */
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

/** The deliveries of an order that no affiliate brought, oldest first. */
export async function keptDeliveries(
  db: Db,
  provider: string,
  keys: readonly string[],
): Promise<DeliveryRow[]> {
  const rows: Row[] = await db('provider_deliveries')
    .select(deliveries.columns)
    .where({ provider, status: 'ignored' })
    .whereIn('awaits_ref', keys)
    .whereNotNull('event')
    .orderBy('id')
    .limit(KEPT_MAX);
  return rows.map(deliveries.fromRow);
}

/** Deliveries whose event holds this text. */
export async function deliveriesWith(
  db: Db,
  { text, provider, after, limit }: { text: string; provider: string | null; after: number; limit: number },
): Promise<DeliveryRow[]> {
  const query = db('provider_deliveries')
    .select(deliveries.columns)
    .whereNotNull('event')
    .where('id', '>', after);
  if (provider !== null) void query.where({ provider });
  void query.where((any) => {
    db.dialect.contains(any, ['event'], text);
  });
  const rows: Row[] = await query.orderBy('id').limit(limit);
  return rows.map(deliveries.fromRow);
}

/** null: nothing is left to process. */
export async function rewriteDelivery(
  db: Db,
  id: number,
  event: DeliveryRow['event'],
  now: number,
): Promise<void> {
  const change =
    event === null
      ? { event: null, status: 'ignored' as const, reason: 'erased', next_attempt_at: null, awaits_ref: null }
      : { event };
  await db('provider_deliveries')
    .where({ id })
    .update(deliveries.toRow({ ...change, updated_at: now }));
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
export interface DeliveryFilter {
  readonly provider: string;
  readonly status: string;
  readonly received: CreationRange;
}

export const deliveriesMatching =
  ({ provider, status, received }: DeliveryFilter): Matching =>
  (query) => {
    if (provider !== '') query.where({ provider });
    if (status !== '') query.where({ status });
    whereCreated(query, received, 'received_at');
  };

export interface StoreName {
  readonly provider: string;
  readonly name: string;
  readonly account: string;
  readonly created_at: number;
}

export async function insertStoreName(db: Db, row: StoreName): Promise<void> {
  await db.dialect.insertIfAbsent(db, 'provider_stores', { ...row }, ['provider', 'name']);
}

/** All names of the shop that has this name. */
export async function namesOfStore(db: Db, provider: string, name: string): Promise<StoreName[]> {
  const table = db.name('provider_stores');
  return (await db.readLocal(
    `select b.name as name, b.account as account from ${table} a join ${table} b ` +
      'on b.provider = a.provider and b.account = a.account where a.provider = ? and a.name = ?',
    [provider, name],
  )) as unknown as StoreName[];
}

/** The account of the shop that has one of these names. */
export async function accountOfStore(
  db: Db,
  provider: string,
  names: readonly string[],
): Promise<string | null> {
  const row: Row | undefined = await db('provider_stores')
    .first('account')
    .where({ provider })
    .whereIn('name', names);
  return row === undefined ? null : String(row['account']);
}

export async function accountsOfProvider(db: Db, provider: string, most: number): Promise<string[]> {
  const rows: Row[] = await db('provider_stores').distinct('account').where({ provider }).limit(most);
  return rows.map((row) => String(row['account']));
}

/** All names of one shop become names of another one. */
export async function moveStores(db: Db, provider: string, from: string, to: string): Promise<void> {
  await db('provider_stores').where({ provider, account: from }).update({ account: to });
}

/** The first of these accounts under which the provider's orders are stored, besides imported ones. */
export async function accountWithOrders(
  db: Db,
  provider: string,
  accounts: readonly string[],
): Promise<string | null> {
  const row: Row | undefined = await db('orders')
    .first('account')
    .where({ provider })
    .whereIn('account', accounts)
    .where((any) => {
      void any.whereNull('source').orWhereNot({ source: 'import' });
    });
  return row === undefined ? null : String(row['account']);
}
