import { countOf, type Query } from '../../records/list.js';
import { offsetOf, type Page } from '../../core/page.js';
import { minor, toWire, type Minor } from '../../core/money.js';
import { own } from '../../core/own.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TransactionStatus } from './types.js';

/** One line of a payout: what was paid for a referral. Later changes of the referral do not change it. */
export interface PayoutItem {
  readonly referral_id: number;
  readonly transaction_id: number;
  readonly transaction_status: TransactionStatus;
  readonly affiliate_id: number;
  readonly amount_minor: Minor;
  readonly currency: string;
}

export interface ItemQuery {
  readonly page: number;
  readonly per_page: number;
  readonly order_by: string;
  readonly order_type: 'ASC' | 'DESC';
  readonly transaction_id: number | null;
  readonly affiliate_id: number | null;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
}

const ORDERS: Readonly<Record<string, string>> = {
  referral_id: 'referral_id',
  transaction_id: 'transaction_id',
  affiliate_id: 'affiliate_id',
  amount: 'amount_minor',
};

export async function pageOfItems(db: Db, payoutId: number, query: ItemQuery): Promise<Page<PayoutItem>> {
  const [items, transactions] = [db.name('payout_items'), db.name('payout_transactions')];
  const matching = (): ReturnType<Db> => {
    const rows = db('payout_items')
      .join(transactions, `${transactions}.id`, `${items}.transaction_id`)
      .where(`${transactions}.payout_id`, payoutId);
    if (query.transaction_id !== null) rows.where(`${items}.transaction_id`, query.transaction_id);
    if (query.affiliate_id !== null) rows.where(`${items}.affiliate_id`, query.affiliate_id);
    if (query.search !== '') rows.where((any) => searched(db, any, payoutId, query));
    return rows;
  };
  const total = await countOf(matching());
  const offset = offsetOf(query);
  const direction = query.order_type === 'ASC' ? 'asc' : 'desc';
  const order = own(ORDERS, query.order_by) ?? 'referral_id';
  const rows: Row[] =
    offset >= total
      ? []
      : await matching()
          .select(
            ['referral_id', 'transaction_id', 'affiliate_id', 'amount_minor', 'currency'].map(
              (each) => `${items}.${each}`,
            ),
          )
          .select(`${transactions}.status`)
          .orderBy([
            { column: `${items}.${order}`, order: direction },
            { column: `${items}.referral_id`, order: direction },
          ])
          .limit(query.per_page)
          .offset(offset);
  return { rows: rows.map(toItem), total, page: query.page, per_page: query.per_page };
}

/** Lines of affiliates with this name, and of orders with this number or description. */
function searched(db: Db, any: Query, payoutId: number, { search, userIds }: ItemQuery): void {
  const items = db.name('payout_items');
  const orders = db('referrals').select('id').where({ payout_id: payoutId });
  db.dialect.contains(orders, ['provider_id', 'description'], search);
  any.whereIn(`${items}.referral_id`, orders);
  if (userIds.length > 0)
    any.orWhereIn(`${items}.affiliate_id`, db('affiliates').select('id').whereIn('user_id', userIds));
}

const toItem = (row: Row): PayoutItem => ({
  referral_id: Number(row['referral_id']),
  transaction_id: Number(row['transaction_id']),
  transaction_status: row['status'] as TransactionStatus,
  affiliate_id: Number(row['affiliate_id']),
  amount_minor: minor(Number(row['amount_minor'])),
  currency: String(row['currency']),
});

const LINES_MAX = 100;

export interface Lines {
  readonly lines: readonly { readonly referral_id: number; readonly amount: number }[];
  readonly lines_count: number;
}

/** The first lines of each of these payments, and how many it has; one statement for all. */
export async function linesOf(
  db: Db,
  transactionIds: readonly number[],
): Promise<ReadonlyMap<number, Lines>> {
  const ids = [...new Set(transactionIds)];
  if (ids.length === 0) return new Map();
  const ranked = db('payout_items')
    .select(
      'transaction_id',
      'referral_id',
      'amount_minor',
      'currency',
      db.knex.raw('row_number() over (partition by transaction_id order by referral_id) as place'),
      db.knex.raw('count(*) over (partition by transaction_id) as lines_count'),
    )
    .whereIn('transaction_id', ids)
    .as('ranked');
  const rows: Row[] = await db.knex
    .select('*')
    .from(ranked)
    .where('place', '<=', LINES_MAX)
    .orderBy('referral_id');
  const found = new Map<number, Lines>();
  for (const row of rows) {
    const id = Number(row['transaction_id']);
    const amount = toWire(minor(Number(row['amount_minor'])), String(row['currency'] ?? ''));
    found.set(id, {
      lines: [...(found.get(id)?.lines ?? []), { referral_id: Number(row['referral_id']), amount }],
      lines_count: Number(row['lines_count']),
    });
  }
  return found;
}
