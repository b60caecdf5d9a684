import { countOf, findRecord, lockRecord } from '../../records/list.js';
import { chunks } from '../../core/chunks.js';
import { DAY } from '../../core/duration.js';
import type { Db, Row } from '../../platform/database/db.js';
import { factsHashOf } from './facts-hash.js';
import { orderFacts, orders, type NewOrder, type Order } from './record.js';
import {
  ENTERED,
  type Fact,
  type NewFact,
  type OrderLimit,
  type OrderName,
  type RejectReason,
} from './types.js';

const CHUNK = 1000;
/** The customer never bought. */
const CALLED_OFF: readonly RejectReason[] = ['canceled', 'failed', 'voided', 'deleted'];
const PARTS_MAX = 100;
const SUBSCRIPTION_MAX = 20;
const SAME_NUMBER_MAX = 10;
const ROWS_AT_ONCE = 30; // with all their columns far fewer bindings than any database takes at once

function factOf(row: Row): Fact {
  const { id, fact_key: key, at, data, actor_id, source, created_at } = orderFacts.fromRow(row);
  return { id, key, at, data, actor_id, source, created_at };
}

export const findByKey = (db: Db, orderKey: string): Promise<Order | null> =>
  findRecord(db, orders, { order_key: orderKey });

export async function findOrders(db: Db, ids: readonly number[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const rows: Row[] = await db('orders').select(orders.columns).whereIn('id', ids).orderBy('id');
  return rows.map(orders.fromRow);
}

export const findByReferral = (db: Db, referralId: number): Promise<Order | null> =>
  findRecord(db, orders, { referral_id: referralId });

/** The orders of these referrals. */
export async function findByReferrals(db: Db, referralIds: readonly number[]): Promise<Order[]> {
  const found: Order[] = [];
  for (const chunk of chunks(referralIds, CHUNK)) {
    const rows: Row[] = await db('orders').select(orders.columns).whereIn('referral_id', chunk);
    found.push(...rows.map(orders.fromRow));
  }
  return found;
}

/** The credited orders of a customer, oldest first. */
export async function ordersOfCustomer(db: Db, customerId: number, limit: number): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ customer_id: customerId })
    .whereNotNull('referral_id')
    .orderBy('id')
    .limit(limit);
  return rows.map(orders.fromRow);
}

/** The ids of the orders that follow this one, oldest first. */
export async function followersOf(
  db: Db,
  id: number,
  { after = 0, limit }: { readonly after?: number; readonly limit: number },
): Promise<number[]> {
  const rows: Row[] = await db('orders')
    .select('id')
    .where({ first_order_id: id })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => Number(row['id']));
}

/** How many follow it after this one. */
export async function countFollowers(db: Db, id: number, after: number): Promise<number> {
  return countOf(db('orders').where({ first_order_id: id }).where('id', '>', after));
}

/** What is due for the customer's orders by this affiliate before this one, in its currency. */
export async function dueOfCustomerBefore(
  db: Db,
  order: Pick<Order, 'affiliate_id' | 'customer_id' | 'currency' | 'created_at'> & { readonly id?: number },
  days: number,
): Promise<number> {
  const row: Row | undefined = await ofCustomer(db, order)
    .whereNot({ due_status: 'rejected' })
    .sum({ due: 'due_minor' })
    .where('created_at', '>=', days === 0 ? 0 : order.created_at - days * DAY)
    .where((any) => {
      if (order.id !== undefined) void any.where('id', '<', order.id);
    })
    .first();
  return Number(row?.['due'] ?? 0);
}

/** The ids of the customer's later orders by this affiliate, oldest first. */
export async function laterOfCustomer(db: Db, order: Order, limit: number): Promise<number[]> {
  const rows: Row[] = await ofCustomer(db, order)
    .select('id')
    .where('id', '>', order.id)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => Number(row['id']));
}

type RewardLimit = Extract<OrderLimit, { kind: 'reward' }>;
type RuledOrder = Pick<Order, 'affiliate_id' | 'customer_id' | 'currency'> & { readonly id?: number };

/** What is due for the affiliate's orders with this reward rule before this one, within the days of its cap. */
export async function dueOfRuleBefore(db: Db, order: RuledOrder, limit: RewardLimit): Promise<number> {
  const row: Row | undefined = await ofRule(db, order, limit)
    .whereNot({ due_status: 'rejected' })
    .sum({ due: 'due_minor' })
    .where((any) => {
      if (order.id !== undefined) void any.where('id', '<', order.id);
    })
    .first();
  return Number(row?.['due'] ?? 0);
}

/** The ids of the affiliate's later orders under this cap, oldest first. */
export async function laterOfRule(db: Db, order: Order, limit: RewardLimit, max: number): Promise<number[]> {
  const rows: Row[] = await ofRule(db, order, limit)
    .select('id')
    .where('id', '>', order.id)
    .orderBy('id')
    .limit(max);
  return rows.map((row) => Number(row['id']));
}

const ofRule = (
  db: Db,
  { affiliate_id, customer_id, currency }: RuledOrder,
  { rule, of_customer: isOfCustomer, from, until }: RewardLimit,
): ReturnType<Db> =>
  db('orders')
    .where({ affiliate_id, reward_rule: rule, currency, ...(isOfCustomer && { customer_id }) })
    .where('created_at', '>=', from)
    .where((any) => {
      if (until !== null) void any.where('created_at', '<', until);
    })
    .whereNotNull('due_status')
    .whereNull('deleted_at');

/** Orders placed until a time; `beforeId`: only those that were recorded before this order. */
export interface CustomersOrders {
  readonly at: number;
  readonly beforeId?: number | undefined;
}

/** How many orders of the customer were recorded until this time and not called off. */
export async function countOfCustomer(
  db: Db,
  customerId: number,
  { at, beforeId }: CustomersOrders,
): Promise<number> {
  const query = boughtBy(db, customerId).where('created_at', '<=', at);
  return countOf(beforeId === undefined ? query : query.where('id', '<', beforeId));
}

/** Those that were recorded later, oldest first. */
export async function recordedAfter(db: Db, customerId: number, at: number, limit: number): Promise<Order[]> {
  const rows: Row[] = await boughtBy(db, customerId)
    .select(orders.columns)
    .where('created_at', '>', at)
    .orderBy('id')
    .limit(limit);
  return rows.map(orders.fromRow);
}

const boughtBy = (db: Db, customerId: number): ReturnType<Db> =>
  db('orders')
    .where({ customer_id: customerId })
    .whereNot('sub_reference', 'like', 'lead:%')
    .whereNull('deleted_at')
    .where((any) => {
      void any.whereNull('reject_reason').orWhereNotIn('reject_reason', [...CALLED_OFF]);
    });

const ofCustomer = (
  db: Db,
  { affiliate_id, customer_id, currency }: Pick<Order, 'affiliate_id' | 'customer_id' | 'currency'>,
): ReturnType<Db> =>
  db('orders')
    .where({ customer_id, affiliate_id, currency })
    .whereNotNull('due_status')
    .whereNull('deleted_at');

/** Customers who bought through both affiliates. */
export async function sharedCustomers(db: Db, one: number, other: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('orders')
    .distinct('customer_id')
    .where({ affiliate_id: one })
    .whereIn('customer_id', db('orders').select('customer_id').where({ affiliate_id: other }))
    .orderBy('customer_id')
    .limit(limit);
  return rows.map((row) => Number(row['customer_id']));
}

/** The orders of these customers by the affiliate, oldest first. */
export async function ordersOfCustomers(
  db: Db,
  affiliateId: number,
  customerIds: readonly number[],
): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ affiliate_id: affiliateId })
    .whereIn('customer_id', customerIds)
    .orderBy('id');
  return rows.map(orders.fromRow);
}

/** How many renewals that follow this first payment, before an order, earn something. */
export async function renewalsBefore(db: Db, firstId: number, id?: number): Promise<number> {
  const row: Row | undefined = await db('orders')
    .count({ n: '*' })
    .where({ first_order_id: firstId })
    .whereNull('deleted_at')
    .whereNot({ due_status: 'rejected' })
    .where('due_minor', '>', 0)
    .whereIn('referral_id', db('referrals').select('id').where({ type: 'recurring_sale' }))
    .where((any) => {
      if (id !== undefined) void any.where('id', '<', id);
    })
    .first();
  return Number(row?.['n'] ?? 0);
}

/** The order with this reference or another of its names. */
export async function findByRef(
  db: Db,
  provider: string,
  account: string,
  ref: string,
): Promise<Order | null> {
  const own = await db.findByKey('orders', orders.columns, {
    provider,
    account,
    reference: ref,
    sub_reference: '',
  });
  if (own) return orders.fromRow(own);
  const link = await db.findByKey('order_refs', ['order_id'], { provider, account, ref });
  if (link) return (await findOrders(db, [Number(link['order_id'])]))[0] ?? null;
  return findUnplaced(db, provider, ref);
}

/** The order with this reference, in any account. */
export async function findAnywhere(db: Db, provider: string, reference: string): Promise<Order | null> {
  const row: Row | undefined = await db('orders')
    .first(orders.columns)
    .where({ provider, reference, sub_reference: '' })
    .orderBy('id');
  return row ? orders.fromRow(row) : null;
}

/** The order with this reference or another of its names, in any account. */
export async function findByRefAnywhere(db: Db, provider: string, ref: string): Promise<Order | null> {
  const own = await findAnywhere(db, provider, ref);
  if (own !== null) return own;
  const link: Row | undefined = await db('order_refs').first('order_id').where({ provider, ref });
  return link === undefined ? null : ((await findOrders(db, [Number(link['order_id'])]))[0] ?? null);
}

/**
 * The order with this reference that was imported, or whose commission a person entered: neither names the
 * shop, and a person may not even name the provider.
 */
export async function findUnplaced(db: Db, provider: string, reference: string): Promise<Order | null> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ account: '', reference, sub_reference: '' })
    .whereIn('provider', [provider, ENTERED])
    .whereIn('source', ['import', ENTERED]);
  const found = rows.map(orders.fromRow);
  return found.find((order) => order.provider === provider) ?? found[0] ?? null;
}

/** Orders with this reference, whole ones only: of this provider, or of any. */
export async function ordersNumbered(db: Db, reference: string, provider: string | null): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ reference, sub_reference: '', ...(provider !== null && { provider }) })
    .orderBy('id')
    .limit(SAME_NUMBER_MAX);
  return rows.map(orders.fromRow);
}

/** The orders that began a subscription; those with a referral come first. */
export async function ordersOfSubscription(
  db: Db,
  provider: string,
  account: string,
  subscription: string,
): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ provider, account, subscription_id: subscription })
    .orderBy('id')
    .limit(SUBSCRIPTION_MAX);
  return rows
    .map(orders.fromRow)
    .sort((a, b) => Number(b.referral_id !== null) - Number(a.referral_id !== null));
}

/** The parts of an order that earn separately. */
export async function partsOfOrder(
  db: Db,
  { provider, account, reference }: Omit<OrderName, 'sub_reference'>,
): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where({ provider, account, reference })
    .orderBy('id')
    .limit(PARTS_MAX);
  return rows.map(orders.fromRow);
}

export const lockOrder = (trx: Db, id: number): Promise<Order | null> => lockRecord(trx, orders, { id });

/** Null when this order already has a record. */
export async function insertOrder(
  trx: Db,
  order: NewOrder & { readonly order_key: string },
  now: number,
): Promise<number | null> {
  return trx.dialect.insertIfAbsent(
    trx,
    'orders',
    { ...orders.toRow(order), order_key: order.order_key, created_at: now, updated_at: now },
    ['order_key'],
  );
}

export async function changeOrder(
  trx: Db,
  id: number,
  change: Partial<NewOrder>,
  now: number,
): Promise<void> {
  await trx('orders')
    .where({ id })
    .update({ ...orders.toRow(change), updated_at: now });
}

/** Adds names to an order. Names that another order already has are skipped. */
export async function addRefs(
  trx: Db,
  { id, provider, account }: Pick<Order, 'id' | 'provider' | 'account'>,
  refs: readonly string[],
): Promise<void> {
  for (const ref of new Set(refs))
    await trx.dialect.insertIfAbsent(trx, 'order_refs', { provider, account, ref, order_id: id }, [
      'provider',
      'account',
      'ref',
    ]);
}

export async function factsOfOrder(db: Db, orderId: number): Promise<Fact[]> {
  return (await factsOfOrders(db, [orderId])).get(orderId) ?? [];
}

/** The facts of orders, in the order they arrived. */
export async function factsOfOrders(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Fact[]>> {
  const rows: Row[] = await db('order_facts')
    .select(orderFacts.columns)
    .whereIn('order_id', ids)
    .orderBy('id');
  const facts = new Map<number, Fact[]>();
  for (const row of rows) {
    const id = Number(row['order_id']);
    facts.set(id, [...(facts.get(id) ?? []), factOf(row)]);
  }
  return facts;
}

export interface Stamp {
  readonly actor_id: number | null;
  readonly source: string;
  readonly now: number;
}

/** Adds facts; returns the number of new ones and all facts of the order. The caller holds its lock. */
export async function addFacts(
  trx: Db,
  orderId: number,
  reported: readonly NewFact[],
  stamp: Stamp,
): Promise<{ added: number; facts: Fact[] }> {
  let added = 0;
  for (const fact of reported) {
    const row = factRow(orderId, fact, stamp);
    const id = await trx.dialect.insertIfAbsent(trx, 'order_facts', row, ['order_id', 'fact_key']);
    added += Number(id !== null);
  }
  const facts = await factsOfOrder(trx, orderId);
  if (added > 0)
    await trx('orders')
      .where({ id: orderId })
      .update({ facts_seal: factsHashOf(facts) });
  return { added, facts };
}

/** The names that are already taken. */
export async function takenKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await idsByKey(db, keys)).keys());
}

export async function idsByKey(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const chunk of chunks(keys, CHUNK)) {
    const rows: Row[] = await db('orders').select('id', 'order_key').whereIn('order_key', chunk);
    for (const row of rows) ids.set(String(row['order_key']), Number(row['id']));
  }
  return ids;
}

export async function insertOrders(
  trx: Db,
  recorded: readonly (NewOrder & { readonly order_key: string; readonly created_at: number })[],
  now: number,
): Promise<void> {
  for (const chunk of chunks(recorded, ROWS_AT_ONCE))
    await trx('orders').insert(
      chunk.map(({ order_key, created_at, ...order }) => ({
        ...orders.toRow(order),
        order_key,
        created_at,
        updated_at: now,
      })),
    );
}

export async function insertFacts(
  trx: Db,
  facts: readonly { readonly orderId: number; readonly fact: NewFact }[],
  stamp: Stamp,
): Promise<void> {
  const rows = facts.map(({ orderId, fact }) => factRow(orderId, fact, stamp));
  await trx.dialect.insertRows(trx, 'order_facts', rows);
}

const factRow = (orderId: number, { key, at, data }: NewFact, stamp: Stamp): Row =>
  orderFacts.toRow({
    order_id: orderId,
    fact_key: key,
    kind: data.kind,
    at,
    data,
    actor_id: stamp.actor_id,
    source: stamp.source,
    created_at: stamp.now,
  });

/** Marks the orders whose referrals are deleted with their affiliate; those that wait earn nothing any more. */
export async function markDeletedOfAffiliate(trx: Db, affiliateId: number, now: number): Promise<void> {
  await trx('orders')
    .where({ affiliate_id: affiliateId })
    .whereNotNull('draft')
    .update({ draft: null, updated_at: now });
  await trx('orders')
    .where({ affiliate_id: affiliateId })
    .whereNotNull('referral_id')
    .whereNull('deleted_at')
    .update({ deleted_at: now, updated_at: now });
}

/** Removes the customer from orders and reported data. */
export async function forgetCustomer(db: Db, customerId: number): Promise<void> {
  await db('orders').where({ customer_id: customerId }).update({ customer_id: null });
}

/** The buyers of one shop's orders, in pages. */
export async function buyersOfAccount(
  db: Db,
  provider: string,
  account: string,
  page: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  const rows: Row[] = await db('orders')
    .distinct('customer_id')
    .where({ provider, account })
    .where('customer_id', '>', page.after)
    .orderBy('customer_id')
    .limit(page.limit);
  return rows.map((row) => Number(row['customer_id']));
}

/** Those of them who also bought in another shop. */
export async function buyersElsewhere(
  db: Db,
  ids: readonly number[],
  provider: string,
  account: string,
): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('orders')
    .distinct('customer_id')
    .whereIn('customer_id', ids)
    .where((other) => {
      void other.whereNot({ provider }).orWhereNot({ account });
    });
  return new Set(rows.map((row) => Number(row['customer_id'])));
}

/** Is there an order of another provider with the same customer and total at about that time? */
export async function hasDuplicatePurchase(
  db: Db,
  of: Pick<Order, 'provider' | 'customer_id' | 'currency'> & { readonly total_minor: number },
  range: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const row: Row | undefined = await db('orders')
    .first('id')
    .where({ customer_id: of.customer_id, total_minor: of.total_minor, currency: of.currency })
    .whereNot({ provider: of.provider })
    .whereNotNull('referral_id')
    .whereBetween('created_at', [range.from, range.to]);
  return row !== undefined;
}

/** A page of orders by id. */
export async function ordersAfter(db: Db, id: number, limit: number): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit);
  return rows.map(orders.fromRow);
}

/** Orders recorded in these days that have terms, after this id. */
export async function ordersBetween(
  db: Db,
  of: { readonly from: number; readonly until: number; readonly after: number; readonly limit: number },
): Promise<Order[]> {
  const rows: Row[] = await db('orders')
    .select(orders.columns)
    .where('id', '>', of.after)
    .where('created_at', '>=', of.from)
    .where('created_at', '<', of.until)
    .whereNotNull('terms')
    .whereNull('deleted_at')
    .orderBy('id')
    .limit(of.limit);
  return rows.map(orders.fromRow);
}

export async function countBetween(
  db: Db,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<number> {
  return countOf(
    db('orders')
      .where('created_at', '>=', from)
      .where('created_at', '<', until)
      .whereNotNull('terms')
      .whereNull('deleted_at'),
  );
}
