import type { Db, Row } from '../../database/db.js';
import type { TableName } from '../../database/tables.js';
import type { AffiliateGroup, MoneyGroup } from './types.js';

// At most one aggregate per table and report. Visits are never scanned: affiliates count them.

const toMoney = (row: Row): MoneyGroup => ({
  status: String(row.status), currency: typeof row.currency === 'string' ? row.currency : null,
  rows: Number(row.n), amount_minor: Number(row.amount ?? 0), order_total_minor: Number(row.order_total ?? 0),
});

/** Every referral, or those of one provider, by status and currency. */
export async function referralGroups(db: Db, provider?: string): Promise<MoneyGroup[]> {
  const query = db('referrals').select('status', 'currency').groupBy('status', 'currency').count({ n: '*' }).sum({ amount: 'amount_minor' });
  if (provider === undefined) query.sum({ order_total: 'order_total_minor' });
  else query.where({ provider });
  const rows: Row[] = await query;
  return rows.map(toMoney);
}

export async function totalGroups(db: Db, table: 'payouts' | 'payout_transactions'): Promise<MoneyGroup[]> {
  const rows: Row[] = await db(table).select('status', 'currency').groupBy('status', 'currency').count({ n: '*' }).sum({ amount: 'total_amount_minor' });
  return rows.map(toMoney);
}

export async function affiliateGroups(db: Db): Promise<AffiliateGroup[]> {
  const rows: Row[] = await db('affiliates').select('status').groupBy('status').count({ n: '*' }).sum({ visits: 'visits', purged: 'visits_purged' });
  return rows.map((row) => ({ status: String(row.status), rows: Number(row.n), visits: Number(row.visits), visits_purged: Number(row.purged) }));
}

/** Imported visits of no affiliate, which no counter holds. */
export async function strayVisits(db: Db): Promise<number> {
  const row: Row | undefined = await db('visits').whereNull('affiliate_id').count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

export async function newestIds(db: Db, table: TableName & ('referrals' | 'visits'), limit: number): Promise<number[]> {
  const rows: Row[] = await db(table).select('id').orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id', order: 'desc' }]).limit(limit);
  return rows.map((row) => Number(row.id));
}

export async function hasReferralsOf(db: Db, provider: string): Promise<boolean> {
  return (await db('referrals').first('id').where({ provider })) !== undefined;
}
