import type { Db } from '../../platform/database/db.js';
import { groupsSql, int, payableWhere, type Scope } from './queries.js';

export interface ClaimStamp {
  readonly payoutId: number;
  readonly actor: number | null;
  readonly method: string;
  readonly now: number;
}

/** One transaction per payable affiliate. Returns how many. */
export async function insertTransactions(db: Db, scope: Scope, stamp: ClaimStamp): Promise<number> {
  const groups = groupsSql(db, scope);
  return db.execute(
    `insert into ${db.name('payout_transactions')} ` +
      '(created_by, affiliate_id, payout_id, total_amount_minor, payout_method, status, currency, settings, ' +
      'created_at, updated_at) ' +
      `select ${stamp.actor === null ? 'null' : int(stamp.actor)}, p.affiliate_id, ${int(stamp.payoutId)}, ` +
      `p.total, ?, 'processing', ?, null, ` +
      `${int(stamp.now)}, ${int(stamp.now)} from (${groups.text}) p order by p.affiliate_id`,
    [stamp.method, scope.config.currency, ...groups.bindings],
  );
}

/**
 * Writes the list of referrals that are paid. Its primary key on referral_id forbids paying one twice,
 * whatever else goes wrong.
 */
export async function insertItems(db: Db, scope: Scope, payoutId: number): Promise<number> {
  const where = payableWhere(scope);
  return db.execute(
    `insert into ${db.name('payout_items')} (referral_id, transaction_id, affiliate_id, amount_minor, currency) ` +
      `select r.id, t.id, r.affiliate_id, r.amount_minor, ? from ${db.name('referrals')} r ` +
      `join ${db.name('payout_transactions')} t on t.affiliate_id = r.affiliate_id ` +
      `and t.payout_id = ${int(payoutId)} where ${where.text}`,
    [scope.config.currency, ...where.bindings],
  );
}

/** Marks the listed referrals as paid if they are still as listed. Returns how many. */
export async function markReferralsPaid(db: Db, payoutId: number, now: number): Promise<number> {
  const [referrals, items, transactions] = [
    db.name('referrals'),
    db.name('payout_items'),
    db.name('payout_transactions'),
  ];
  return db.execute(
    `update ${referrals} set status = 'paid', payout_id = ${int(payoutId)}, updated_at = ${int(now)}, ` +
      `payout_transaction_id = (select i.transaction_id from ${items} i where i.referral_id = ${referrals}.id) ` +
      "where status = 'unpaid' and payout_transaction_id is null and exists (select 1 from " +
      `${items} i join ${transactions} t on t.id = i.transaction_id where i.referral_id = ${referrals}.id ` +
      `and t.payout_id = ${int(payoutId)} ` +
      `and i.affiliate_id = ${referrals}.affiliate_id and i.amount_minor = ${referrals}.amount_minor)`,
  );
}

/** Counts again what was written: the run commits only when this equals what was approved. */
export async function countClaimed(
  db: Db,
  payoutId: number,
): Promise<{ transactions: number; total: number; wrong: number }> {
  const [row] = await db.raw(
    'select count(*) as n, coalesce(sum(t.total_amount_minor), 0) as total, ' +
      'coalesce(sum(case when t.total_amount_minor = coalesce(s.total, 0) then 0 else 1 end), 0) as wrong ' +
      `from ${db.name('payout_transactions')} t left join (select i.transaction_id, ` +
      `sum(i.amount_minor) as total from ${db.name('payout_items')} i ` +
      `join ${db.name('payout_transactions')} x on x.id = i.transaction_id ` +
      `where x.payout_id = ${int(payoutId)} group by i.transaction_id) s ` +
      `on s.transaction_id = t.id where t.payout_id = ${int(payoutId)}`,
  );
  return {
    transactions: Number(row?.n ?? 0),
    total: Number(row?.total ?? 0),
    wrong: Number(row?.wrong ?? 0),
  };
}

/** Releases the referrals of a transaction, and removes its list and the transaction. */
export async function releaseTransaction(db: Db, transactionId: number, now: number): Promise<void> {
  await db('referrals')
    .where({ payout_transaction_id: transactionId, status: 'paid' })
    .update({ status: 'unpaid', payout_transaction_id: null, payout_id: null, updated_at: now });
  await db('payout_items').where({ transaction_id: transactionId }).delete();
  await db('payout_transactions').where({ id: transactionId }).delete();
}

/** Finds claimed referrals of an import that never became part of a payout. */
export async function findStranded(db: Db, before: number, limit: number): Promise<StrandedReferral[]> {
  const rows: Record<string, unknown>[] = await db('referrals')
    .select(['id', 'affiliate_id', 'amount_minor', 'currency'])
    .where({ status: 'processing' })
    .whereNull('payout_transaction_id')
    .where('updated_at', '<', before)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => ({
    id: Number(row.id),
    affiliate_id: row.affiliate_id === null ? null : Number(row.affiliate_id),
    amount_minor: Number(row.amount_minor),
    currency: row.currency as string | null,
  }));
}

export interface StrandedReferral {
  readonly id: number;
  readonly affiliate_id: number | null;
  readonly amount_minor: number;
  readonly currency: string | null;
}

/** False when another worker released it first. */
export async function releaseStrandedReferral(db: Db, id: number, now: number): Promise<boolean> {
  const changed: number = await db('referrals')
    .where({ id, status: 'processing' })
    .whereNull('payout_transaction_id')
    .update({ status: 'unpaid', payout_id: null, updated_at: now });
  return changed === 1;
}
