import { readJson } from '../../core/json.js';
import type { Db, Row } from '../../database/db.js';
import type { LedgerOrder, NewOrder, OrderState, RefundBook } from './types.js';

const COLUMNS = [
  'id',
  'provider',
  'account',
  'provider_id',
  'sub_id',
  'subscription_id',
  'state',
  'event_at',
  'currency',
  'totals',
  'items',
  'refunds',
  'customer_id',
  'affiliate_id',
  'visit_id',
  'source',
  'decision',
  'reason',
  'referral_id',
] as const;
const KEY = ['provider', 'account', 'provider_id', 'sub_id'] as const;
export const EMPTY_BOOK: RefundBook = { by_id: {}, cumulative: null, holds: [], closed: [] };

const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);
const textOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

const fromRow = (row: Row): LedgerOrder => ({
  id: Number(row['id']),
  provider: String(row['provider']),
  account: String(row['account']),
  provider_id: String(row['provider_id']),
  sub_id: String(row['sub_id']),
  subscription_id: textOrNull(row['subscription_id']),
  state: row['state'] as OrderState,
  event_at: Number(row['event_at']),
  currency: String(row['currency']),
  totals: readJson(row['totals'], null),
  items: readJson(row['items'], []),
  refunds: { ...EMPTY_BOOK, ...readJson<Partial<RefundBook>>(row['refunds'], {}) },
  customer_id: numberOrNull(row['customer_id']),
  affiliate_id: numberOrNull(row['affiliate_id']),
  visit_id: numberOrNull(row['visit_id']),
  source: textOrNull(row['source']),
  decision: textOrNull(row['decision']),
  reason: textOrNull(row['reason']),
  referral_id: numberOrNull(row['referral_id']),
});

const toRow = ({ totals, items, refunds, ...order }: Partial<NewOrder>): Record<string, unknown> => ({
  ...order,
  ...(totals !== undefined && { totals: totals && JSON.stringify(totals) }),
  ...(items !== undefined && { items: JSON.stringify(items) }),
  ...(refunds !== undefined && { refunds: JSON.stringify(refunds) }),
});

export interface OrderName {
  readonly provider: string;
  readonly account: string;
  readonly provider_id: string;
  readonly sub_id: string;
}

export const nameOf = (
  { key }: { readonly key: string },
  {
    account,
    order,
  }: { readonly account: string; readonly order: { readonly id: string; readonly sub_id?: string } },
): OrderName => ({ provider: key, account, provider_id: order.id, sub_id: order.sub_id ?? '' });

export async function findOrder(
  db: Db,
  { provider, account, provider_id, sub_id }: OrderName,
): Promise<LedgerOrder | null> {
  const row: Row | undefined = await db('provider_orders')
    .first(COLUMNS)
    .where({ provider, account, provider_id, sub_id });
  return row ? fromRow(row) : null;
}

/** An order by its id or by any other id it is known under. */
export async function findByRef(
  db: Db,
  provider: string,
  account: string,
  ref: string,
): Promise<LedgerOrder | null> {
  const own = await findOrder(db, { provider, account, provider_id: ref, sub_id: '' });
  if (own) return own;
  const link: Row | undefined = await db('provider_refs').first('order_id').where({ provider, account, ref });
  const row: Row | undefined =
    link && (await db('provider_orders').first(COLUMNS).where({ id: link['order_id'] }));
  return row ? fromRow(row) : null;
}

/** The orders that began a subscription; one with a referral comes first. */
export async function ordersOfSubscription(
  db: Db,
  provider: string,
  account: string,
  subscription: string,
): Promise<LedgerOrder[]> {
  const rows: Row[] = await db('provider_orders')
    .select(COLUMNS)
    .where({ provider, account, subscription_id: subscription })
    .orderBy('id')
    .limit(20);
  return rows.map(fromRow).sort((a, b) => Number(b.referral_id !== null) - Number(a.referral_id !== null));
}

/** The parts of one order that earn on their own. */
export async function partsOfOrder(
  db: Db,
  provider: string,
  account: string,
  id: string,
): Promise<LedgerOrder[]> {
  const rows: Row[] = await db('provider_orders')
    .select(COLUMNS)
    .where({ provider, account, provider_id: id })
    .orderBy('id')
    .limit(100);
  return rows.map(fromRow);
}

export async function lockOrder(trx: Db, id: number): Promise<LedgerOrder | null> {
  const row: Row | undefined = await trx.dialect
    .forUpdate(trx('provider_orders').where({ id }))
    .first(COLUMNS);
  return row ? fromRow(row) : null;
}

/** False when there is a row for this order already. */
export async function insertOrder(trx: Db, order: NewOrder, now: number): Promise<number | null> {
  return trx.dialect.insertIfAbsent(
    trx,
    'provider_orders',
    { ...toRow(order), created_at: now, updated_at: now },
    KEY,
  );
}

export async function changeOrder(
  trx: Db,
  id: number,
  change: Partial<NewOrder>,
  now: number,
): Promise<void> {
  await trx('provider_orders')
    .where({ id })
    .update({ ...toRow(change), updated_at: now });
}

/** A ref belongs to the order that named it first. */
export async function addRefs(
  trx: Db,
  { id, provider, account }: Pick<LedgerOrder, 'id' | 'provider' | 'account'>,
  refs: readonly string[],
): Promise<void> {
  for (const ref of new Set(refs))
    await trx.dialect.insertIfAbsent(trx, 'provider_refs', { provider, account, ref, order_id: id }, [
      'provider',
      'account',
      'ref',
    ]);
}

/** What shops reported keeps no way back to the person. */
export async function forgetCustomer(db: Db, customerId: number): Promise<void> {
  await db('provider_orders').where({ customer_id: customerId }).update({ customer_id: null });
}

/** Buyers known from the orders of one shop, in pages. */
export async function buyersOfAccount(
  db: Db,
  provider: string,
  account: string,
  page: { after: number; limit: number },
): Promise<number[]> {
  const rows: Row[] = await db('provider_orders')
    .distinct('customer_id')
    .where({ provider, account })
    .where('customer_id', '>', page.after)
    .orderBy('customer_id')
    .limit(page.limit);
  return rows.map((row) => Number(row['customer_id']));
}

/** Those among them who also bought in another shop. */
export async function buyersElsewhere(
  db: Db,
  ids: readonly number[],
  provider: string,
  account: string,
): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('provider_orders')
    .distinct('customer_id')
    .whereIn('customer_id', ids)
    .where((other) => {
      void other.whereNot({ provider }).orWhereNot({ account });
    });
  return new Set(rows.map((row) => Number(row['customer_id'])));
}
