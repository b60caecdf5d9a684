import { offsetOf, type Page } from '../../core/page.js';
import { minor, type Minor } from '../../core/money.js';
import { own } from '../../core/own.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TransactionStatus } from './types.js';
import { int } from './queries.js';

/** One line of a payout: what was paid for a referral, whatever happened to the referral since. */
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
}

const ORDERS: Readonly<Record<string, string>> = {
  referral_id: 'i.referral_id',
  transaction_id: 'i.transaction_id',
  affiliate_id: 'i.affiliate_id',
  amount: 'i.amount_minor',
};

export async function pageOfItems(db: Db, payoutId: number, query: ItemQuery): Promise<Page<PayoutItem>> {
  const only = [
    ...(query.transaction_id === null ? [] : [`i.transaction_id = ${int(query.transaction_id)}`]),
    ...(query.affiliate_id === null ? [] : [`i.affiliate_id = ${int(query.affiliate_id)}`]),
  ];
  const from =
    `from ${db.name('payout_items')} i join ${db.name('payout_transactions')} t on t.id = i.transaction_id ` +
    `where ${[`t.payout_id = ${int(payoutId)}`, ...only].join(' and ')}`;
  const [count] = await db.raw(`select count(*) as n ${from}`);
  const total = Number(count?.['n'] ?? 0);
  const offset = offsetOf(query);
  const direction = query.order_type === 'ASC' ? 'asc' : 'desc';
  const order = own(ORDERS, query.order_by) ?? 'i.referral_id';
  const rows =
    offset >= total
      ? []
      : await db.raw(
          `select i.referral_id, i.transaction_id, t.status, i.affiliate_id, i.amount_minor, i.currency ${from} ` +
            `order by ${order} ${direction}, i.referral_id ${direction} ` +
            `limit ${int(query.per_page)} offset ${int(offset)}`,
        );
  return { rows: rows.map(toItem), total, page: query.page, per_page: query.per_page };
}

const toItem = (row: Row): PayoutItem => ({
  referral_id: Number(row['referral_id']),
  transaction_id: Number(row['transaction_id']),
  transaction_status: row['status'] as TransactionStatus,
  affiliate_id: Number(row['affiliate_id']),
  amount_minor: minor(Number(row['amount_minor'])),
  currency: String(row['currency']),
});
