import { lockRecord } from '../../records/list.js';
import { chunks } from '../../core/chunks.js';
import type { Db, Row } from '../../platform/database/db.js';
import { customers as record, type Customer } from './record.js';
import type { CustomerName, Holder, NameKind } from './types.js';

const CHUNK = 1000;
const NAMES_MAX = 200;

export async function findCustomers(db: Db, ids: readonly number[]): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (const chunk of chunks(ids, CHUNK)) {
    const rows: Row[] = await db('customers').select(record.columns).whereIn('id', chunk);
    customers.push(...rows.map(record.fromRow));
  }
  return customers;
}

/** The row, locked until the transaction ends. */
export const lockCustomer = (trx: Db, id: number): Promise<Customer | null> =>
  lockRecord(trx, record, { id });

export async function searchCustomers(db: Db, text: string, limit: number): Promise<Customer[]> {
  const query = db('customers').select(record.columns);
  const rows: Row[] = await (
    text === '' ? query : db.dialect.contains(query, Object.keys(record.search.anywhere), text)
  )
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(record.fromRow);
}

/** The customers with one of these names; other kinds may have the same text. */
export async function findHolders(db: Db, names: readonly string[]): Promise<Holder[]> {
  if (names.length === 0) return [];
  const columns = record.columns.map((column) => `c.${column}`).join(', ');
  const rows = await db.readLocal(
    `select n.kind as name_kind, n.name as name_text, ${columns} from ${db.name('customer_names')} n ` +
      `join ${db.name('customers')} c on c.id = n.customer_id ` +
      `where n.name in (${names.map(() => '?').join(', ')})`,
    [...names],
  );
  return rows.map((row) => ({
    kind: row['name_kind'] as NameKind,
    name: String(row['name_text']),
    customer: record.fromRow(row),
  }));
}

/** Gives the customer these names; those that another customer has are skipped. Returns how many were new. */
export async function addNames(
  db: Db,
  customerId: number,
  names: readonly CustomerName[],
  since: number,
): Promise<number> {
  let added = 0;
  // in one order, so that two orders with the same names do not wait for each other
  for (const { kind, name, label } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const row = { customer_id: customerId, kind, name, label, since };
    if ((await db.dialect.insertIfAbsent(db, 'customer_names', row, ['name', 'kind'])) !== null) added += 1;
  }
  return added;
}

export interface NameRow extends CustomerName {
  readonly since: number;
}

const asName = (row: Row): NameRow => ({
  kind: row['kind'] as NameKind,
  name: String(row['name']),
  label: row['label'] === null ? null : String(row['label']),
  since: Number(row['since']),
});

export async function namesOfCustomer(db: Db, customerId: number): Promise<NameRow[]> {
  const rows: Row[] = await db('customer_names')
    .select('kind', 'name', 'label', 'since')
    .where({ customer_id: customerId })
    .orderBy('id')
    .limit(NAMES_MAX);
  return rows.map(asName);
}

export async function removeName(db: Db, customerId: number, kind: NameKind, name: string): Promise<void> {
  await db('customer_names').where({ customer_id: customerId, kind, name }).delete();
}

/** Stores the names of an unpaid order until it is paid; they replace those it had before. */
export async function saveUnconfirmed(
  db: Db,
  of: { readonly order_id: number; readonly customer_id: number },
  names: readonly CustomerName[],
  since: number,
): Promise<void> {
  await db.dialect.insertRows(
    db,
    'waiting_names',
    names.map(({ kind, name, label }) => ({ ...of, kind, name, label, since })),
  );
}

export async function unconfirmedNames(db: Db, orderId: number): Promise<CustomerName[]> {
  const rows: Row[] = await db('waiting_names')
    .select('kind', 'name', 'label', 'since')
    .where({ order_id: orderId })
    .orderBy('id')
    .limit(NAMES_MAX);
  return rows.map(asName);
}

export async function deleteUnconfirmed(db: Db, orderId: number): Promise<void> {
  await db('waiting_names').where({ order_id: orderId }).delete();
}

/** Names of orders that were never paid. */
export async function forgetUnconfirmed(db: Db, before: number): Promise<number> {
  return db('waiting_names').where('since', '<', before).delete();
}

export async function forgetNames(db: Db, customerId: number): Promise<void> {
  await db('customer_names').where({ customer_id: customerId }).delete();
  await db('waiting_names').where({ customer_id: customerId }).delete();
}

/** Flags customers that one order named beside this one. */
export async function flagSame(db: Db, ids: readonly number[], customerId: number): Promise<void> {
  await db('customers').whereIn('id', ids).update({ same_person_as: customerId });
}

/** The customers that a person marked as different from this one. */
export async function apartFrom(db: Db, id: number): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('customers_apart')
    .select('customer_id', 'other_id')
    .where({ customer_id: id })
    .orWhere({ other_id: id });
  const ids = rows.flatMap((row) => [Number(row['customer_id']), Number(row['other_id'])]);
  return new Set(ids.filter((each) => each !== id));
}

/** Two different people: neither is flagged as the other one, now and later. */
export async function keepApart(trx: Db, a: number, b: number, now: number): Promise<void> {
  const row = { customer_id: Math.min(a, b), other_id: Math.max(a, b), created_at: now };
  await trx.dialect.insertIfAbsent(trx, 'customers_apart', row, ['customer_id', 'other_id']);
  await trx('customers').where({ id: a, same_person_as: b }).update({ same_person_as: null });
  await trx('customers').where({ id: b, same_person_as: a }).update({ same_person_as: null });
}

/** A customer whose data was deleted is no duplicate of another one. */
export async function unflag(trx: Db, customerId: number): Promise<void> {
  await trx('customers').where({ same_person_as: customerId }).update({ same_person_as: null });
}

/** Moves everything of a customer to another one and deletes the row. */
export async function mergeRows(trx: Db, from: number, into: number, now: number): Promise<void> {
  for (const table of ['customer_names', 'waiting_names', 'referrals', 'orders'] as const)
    await trx(table).where({ customer_id: from }).update({ customer_id: into });
  await trx('customers')
    .where({ same_person_as: from })
    .whereNot({ id: into })
    .update({ same_person_as: into });
  for (const other of [...(await apartFrom(trx, from)), ...(await apartFrom(trx, into))])
    if (other !== into && other !== from) await keepApart(trx, into, other, now);
  await trx('customers_apart').where({ customer_id: from }).orWhere({ other_id: from }).delete();
  await trx('customers').where({ id: from }).delete();
}

export async function deleteCustomer(trx: Db, id: number): Promise<void> {
  await trx('customers').where({ id }).delete();
}

/** The affiliates with commissions from these customers. */
export async function affiliatesOf(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .distinct('affiliate_id')
    .whereIn('customer_id', ids)
    .whereNotNull('affiliate_id')
    .orderBy('affiliate_id');
  return rows.map((row) => Number(row['affiliate_id']));
}

/** The new id, or null when the e-mail address is already stored. */
export async function insertCustomer(
  db: Db,
  customer: Omit<Customer, 'id' | 'settings'>,
): Promise<number | null> {
  return customer.email_key === null
    ? db.dialect.insert(db, 'customers', { ...customer })
    : db.dialect.insertIfAbsent(db, 'customers', { ...customer }, ['email_key']);
}

export async function updateCustomer(
  db: Db,
  id: number,
  change: Partial<Omit<Customer, 'id'>>,
): Promise<void> {
  await db('customers').where({ id }).update(change);
}

/**
 * Removes the IP addresses of buyers without activity since then, page by page. A row that an order is
 * writing is skipped.
 */
export async function forgetAddresses(db: Db, before: number): Promise<number> {
  let forgotten = 0;
  for (let after = 0; ;) {
    const rows: Row[] = await db('customers')
      .select('id')
      .whereNotNull('ip')
      .where('updated_at', '<', before)
      .where('id', '>', after)
      .orderBy('id')
      .limit(CHUNK);
    const ids = rows.map((row) => Number(row['id']));
    const last = ids.at(-1);
    if (last === undefined) return forgotten;
    forgotten += await db('customers')
      .whereIn('id', ids)
      .where('updated_at', '<', before)
      .update({ ip: null });
    after = last;
  }
}

/**
 * The first order wins, also between two at the same moment. An order from before the buyer bought without an
 * affiliate (`own_since`) does not count.
 */
export async function linkAffiliate(
  db: Db,
  id: number,
  affiliateId: number,
  orderedAt: number,
): Promise<boolean> {
  const linked = await db.execute(
    `update ${db.name('customers')} set by_affiliate_id = ?, bound_at = ? ` +
      'where id = ? and by_affiliate_id is null and (own_since is null or own_since < ?)',
    [affiliateId, orderedAt, id, orderedAt],
  );
  return linked === 1;
}

export async function customersOfUser(db: Db, userId: number): Promise<Customer[]> {
  const rows: Row[] = await db('customers').select(record.columns).where({ user_id: userId }).orderBy('id');
  return rows.map(record.fromRow);
}

export async function forgetUser(trx: Db, userId: number): Promise<number> {
  await trx('customer_names')
    .where({ kind: 'user', name: String(userId) })
    .delete();
  await trx('waiting_names')
    .where({ kind: 'user', name: String(userId) })
    .delete();
  return trx('customers').where({ user_id: userId }).update({ user_id: null });
}

export async function markOwn(db: Db, id: number, now: number): Promise<void> {
  await db('customers').where({ id }).whereNull('by_affiliate_id').update({ own_since: now });
}

export async function unlinkAffiliate(db: Db, affiliateId: number): Promise<number> {
  return db('customers')
    .where({ by_affiliate_id: affiliateId })
    .update({ by_affiliate_id: null, bound_at: null });
}

export async function referralIds(db: Db, customerId: number): Promise<number[]> {
  const rows: Row[] = await db('referrals').select('id').where({ customer_id: customerId }).orderBy('id');
  return rows.map((row) => Number(row['id']));
}

export async function boughtElsewhere(
  db: Db,
  ids: readonly number[],
  provider: string,
): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('referrals')
    .distinct('customer_id')
    .whereIn('customer_id', ids)
    .where((other) => {
      void other.whereNot({ provider }).orWhereNull('provider');
    });
  return new Set(rows.map((row) => Number(row['customer_id'])));
}

/** The clicks that led to a customer's purchases. */
export async function visitIds(db: Db, customerId: number): Promise<number[]> {
  const of = async (table: 'referrals' | 'orders'): Promise<number[]> => {
    const rows: Row[] = await db(table)
      .distinct('visit_id')
      .where({ customer_id: customerId })
      .whereNotNull('visit_id');
    return rows.map((row) => Number(row['visit_id']));
  };
  return [...new Set([...(await of('referrals')), ...(await of('orders'))])];
}

/** The number of referrals per customer, of any affiliate. */
export async function countReferrals(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows: Row[] = await db('referrals')
    .select('customer_id')
    .count({ n: '*' })
    .whereIn('customer_id', ids)
    .groupBy('customer_id');
  return new Map(rows.map((row) => [Number(row.customer_id), Number(row.n)]));
}
