import type { Db, Row } from '../../platform/database/db.js';
import { transactions } from './record.js';
import type { PayoutTransaction, TransactionStatus } from './types.js';

interface Sum {
  readonly count: number;
  readonly total: number;
}

/** Number and sum of the transactions of a payout, by status. */
export async function sumsByStatus(
  db: Db,
  payoutId: number,
): Promise<Readonly<Record<TransactionStatus, Sum>>> {
  const rows: Row[] = await db('payout_transactions')
    .select('status')
    .count({ n: '*' })
    .sum({ total: 'total_amount_minor' })
    .where({ payout_id: payoutId })
    .groupBy('status');
  const of = (status: TransactionStatus): Sum => {
    const row = rows.find((each) => each['status'] === status);
    return { count: Number(row?.['n'] ?? 0), total: Number(row?.['total'] ?? 0) };
  };
  return { processing: of('processing'), paid: of('paid') };
}

/** Commissions in the open transactions of a payout. */
export async function countOpenItems(db: Db, payoutId: number): Promise<number> {
  const [row] = await db.raw(
    `select count(*) as n from ${db.name('payout_transactions')} t ` +
      `join ${db.name('payout_items')} i on i.transaction_id = t.id ` +
      "where t.payout_id = ? and t.status = 'processing'",
    [payoutId],
  );
  return Number(row?.['n'] ?? 0);
}

/** Open transactions after this one, in order. */
export async function openAfter(
  db: Db,
  payoutId: number,
  afterId: number,
  limit: number | null,
): Promise<PayoutTransaction[]> {
  const query = db('payout_transactions')
    .select(transactions.columns)
    .where({ payout_id: payoutId, status: 'processing' })
    .where('id', '>', afterId)
    .orderBy('id');
  const rows: Row[] = await (limit === null ? query : query.limit(limit));
  return rows.map(transactions.fromRow);
}

/** Those of these transactions that are still open, locked. */
export async function lockAmong(
  db: Db,
  payoutId: number,
  ids: readonly number[],
): Promise<PayoutTransaction[]> {
  if (ids.length === 0) return [];
  const rows: Row[] = await db.dialect.forUpdate(
    db('payout_transactions')
      .select(transactions.columns)
      .where({ payout_id: payoutId, status: 'processing' })
      .whereIn('id', ids)
      .orderBy('id'),
  );
  return rows.map(transactions.fromRow);
}

export async function exists(db: Db, payoutId: number, id: number): Promise<boolean> {
  return (await db('payout_transactions').first('id').where({ payout_id: payoutId, id })) !== undefined;
}

export async function hasTransactions(db: Db, payoutId: number): Promise<boolean> {
  return (await db('payout_transactions').first('id').where({ payout_id: payoutId })) !== undefined;
}
