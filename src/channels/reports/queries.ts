import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import { STATUSES, type AffiliateGroup, type MoneyGroup } from './types.js';

// At most one aggregate per table and report. Neither visits nor referrals are read: affiliates count visits,
// stored totals hold the sums of referrals.

const SUMMED = [...STATUSES, 'paid_minor', 'paid_order_minor', 'unpaid_minor', 'unpaid_order_minor'];

const toMoney = (row: Row): MoneyGroup => ({
  status: String(row.status),
  currency: typeof row.currency === 'string' ? row.currency : null,
  rows: Number(row.n),
  amount_minor: Number(row.amount ?? 0),
  order_total_minor: Number(row.order_total ?? 0),
});

/**
 * Number of referrals by status and currency, of all or of one provider, from the stored totals; only paid
 * and unpaid ones have sums.
 */
export async function referralGroups(db: Db, provider?: string): Promise<MoneyGroup[]> {
  const query = db('referral_totals')
    .select('currency')
    .groupBy('currency')
    .sum(Object.fromEntries(SUMMED.map((column) => [column, column])));
  const rows: Row[] = await (provider === undefined ? query : query.where({ provider }));
  return rows.flatMap((row) =>
    STATUSES.map((status) =>
      toMoney({
        status,
        currency: row.currency === '' ? null : row.currency,
        n: row[status],
        amount: row[`${status}_minor`],
        order_total: row[`${status}_order_minor`],
      }),
    ),
  );
}

export async function payoutGroups(db: Db): Promise<MoneyGroup[]> {
  const rows: Row[] = await db('payouts')
    .select('status', 'currency')
    .groupBy('status', 'currency')
    .count({ n: '*' })
    .sum({ amount: 'total_amount_minor' });
  return rows.map(toMoney);
}

/**
 * Paid transactions of payouts that are not paid completely; for the others the total of the payout is enough
 * (docs/reliability.md §2, I7).
 */
export async function openPayoutGroups(db: Db): Promise<MoneyGroup[]> {
  const rows = await db.raw(
    `select t.status, t.currency, count(*) as n, sum(t.total_amount_minor) as amount from ${db.name('payouts')} p ` +
      `join ${db.name('payout_transactions')} t on t.payout_id = p.id and t.status = 'paid' ` +
      `where p.status = 'processing' group by t.status, t.currency`,
  );
  return rows.map(toMoney);
}

export async function affiliateGroups(db: Db): Promise<AffiliateGroup[]> {
  const rows: Row[] = await db('affiliates')
    .select('status')
    .groupBy('status')
    .count({ n: '*' })
    .sum({ visits: 'visits' });
  return rows.map((row) => ({
    status: String(row.status),
    rows: Number(row.n),
    visits: Number(row.visits),
  }));
}

export async function newestIds(
  db: Db,
  table: TableName & ('referrals' | 'visits'),
  limit: number,
): Promise<number[]> {
  const rows: Row[] = await db(table)
    .select('id')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit);
  return rows.map((row) => Number(row.id));
}

export async function hasReferralsOf(db: Db, provider: string): Promise<boolean> {
  return (await db('referrals').first('id').where({ provider })) !== undefined;
}
