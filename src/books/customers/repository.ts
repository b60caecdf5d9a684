import type { Db, Row } from '../../platform/database/db.js';
import { customers as record, type Customer } from './record.js';

const CHUNK = 1000;
export async function findCustomers(db: Db, ids: readonly number[]): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows: Row[] = await db('customers')
      .select(record.columns)
      .whereIn('id', ids.slice(at, at + CHUNK));
    customers.push(...rows.map(record.fromRow));
  }
  return customers;
}

/** The row, locked until the transaction ends. */
export async function lockCustomer(trx: Db, id: number): Promise<Customer | null> {
  const row = await trx.lockRow('customers', record.columns, { id });
  return row ? record.fromRow(row) : null;
}

export async function searchCustomers(db: Db, text: string, limit: number): Promise<Customer[]> {
  const query = db('customers').select(record.columns);
  const rows: Row[] = await (
    text === '' ? query : db.dialect.contains(query, Object.keys(record.search.anywhere), text)
  )
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(record.fromRow);
}

export async function findByEmail(db: Db, emailKey: string): Promise<Customer | null> {
  const row = await db.lookUp('customers', record.columns, { email_key: emailKey });
  return row ? record.fromRow(row) : null;
}

/** The oldest row of a host user. */
export async function findByUser(db: Db, userId: number): Promise<Customer | null> {
  const row: Row | undefined = await db('customers')
    .first(record.columns)
    .where({ user_id: userId })
    .orderBy('id');
  return row ? record.fromRow(row) : null;
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
    `update ${db.name('customers')} set by_affiliate_id = ? ` +
      'where id = ? and by_affiliate_id is null and (own_since is null or own_since < ?)',
    [affiliateId, id, orderedAt],
  );
  return linked === 1;
}

export async function forgetUser(trx: Db, userId: number): Promise<number> {
  return trx('customers').where({ user_id: userId }).update({ user_id: null });
}

export async function markOwn(db: Db, id: number, now: number): Promise<void> {
  await db('customers').where({ id }).whereNull('by_affiliate_id').update({ own_since: now });
}

export async function unlinkAffiliate(db: Db, affiliateId: number): Promise<number> {
  return db('customers').where({ by_affiliate_id: affiliateId }).update({ by_affiliate_id: null });
}

export async function referralIds(db: Db, customerId: number): Promise<number[]> {
  const rows: Row[] = await db('referrals').select('id').where({ customer_id: customerId }).orderBy('id');
  return rows.map((row) => Number(row['id']));
}

export async function boughtBeside(
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
