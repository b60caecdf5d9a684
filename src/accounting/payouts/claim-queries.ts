import type { Db, Row } from '../../platform/database/db.js';
import { int } from '../../core/sql-int.js';
import type { Claimable } from './queries.js';

const CHUNK = 1000;

export interface ClaimStamp {
  readonly payoutId: number;
  readonly actor: number | null;
  readonly method: string;
  readonly currency: string;
  readonly now: number;
}

/** What one affiliate gets by the referrals of one step. */
export interface Share {
  readonly affiliate_id: number;
  readonly amount_minor: number;
}

/** One transaction per affiliate. */
export async function insertTransactions(db: Db, shares: readonly Share[], stamp: ClaimStamp): Promise<void> {
  await db.dialect.insertRows(
    db,
    'payout_transactions',
    shares.map(({ affiliate_id, amount_minor }) => ({
      created_by: stamp.actor,
      affiliate_id,
      payout_id: stamp.payoutId,
      total_amount_minor: amount_minor,
      payout_method: stamp.method,
      status: 'processing',
      currency: stamp.currency,
      settings: null,
      created_at: stamp.now,
      updated_at: stamp.now,
    })),
  );
}

export async function addToTransaction(db: Db, id: number, amountMinor: number, now: number): Promise<void> {
  await db.execute(
    `update ${db.name('payout_transactions')} set total_amount_minor = total_amount_minor + ?, updated_at = ? ` +
      'where id = ?',
    [amountMinor, now, id],
  );
}

export async function addToPayout(db: Db, id: number, amountMinor: number, now: number): Promise<void> {
  await db.execute(
    `update ${db.name('payouts')} set total_amount_minor = total_amount_minor + ?, updated_at = ? where id = ?`,
    [amountMinor, now, id],
  );
}

/**
 * Writes the list of referrals that are paid. Its primary key on referral_id forbids paying one twice, even
 * if other checks fail.
 */
export async function insertItems(
  db: Db,
  referrals: readonly Claimable[],
  { payoutId, currency }: ClaimStamp,
): Promise<void> {
  const transactions = new Map<number, number>();
  for (const affiliates of chunksOf([...new Set(referrals.map((each) => each.affiliate_id))])) {
    const rows: Row[] = await db('payout_transactions')
      .select('id', 'affiliate_id')
      .where({ payout_id: payoutId })
      .whereIn('affiliate_id', affiliates);
    for (const row of rows) transactions.set(Number(row['affiliate_id']), Number(row['id']));
  }
  await db.dialect.insertRows(
    db,
    'payout_items',
    referrals.map(({ id, affiliate_id, amount_minor }) => ({
      referral_id: id,
      transaction_id: transactions.get(affiliate_id),
      affiliate_id,
      amount_minor,
      currency,
    })),
  );
}

/** Marks the listed referrals as paid if they are still as listed. Returns how many. */
export async function markReferralsPaid(
  db: Db,
  claimed: readonly Claimable[],
  { payoutId, now }: ClaimStamp,
): Promise<number> {
  const [referrals, items] = [db.name('referrals'), db.name('payout_items')];
  let marked = 0;
  for (const ids of chunksOf(claimed.map(({ id }) => id)))
    marked += await db.execute(
      `update ${referrals} set status = 'paid', payout_id = ${int(payoutId)}, updated_at = ${int(now)}, ` +
        `payout_transaction_id = (select i.transaction_id from ${items} i where i.referral_id = ${referrals}.id) ` +
        `where id in (${marks(ids)}) and status = 'unpaid' and payout_transaction_id is null`,
      ids,
    );
  return marked;
}

/** The items of a transaction as they add up. */
export interface ClaimedSum {
  readonly transaction_id: number;
  readonly count: number;
  readonly amount_minor: number;
  readonly highest_id: number;
  readonly id_sum: string;
}

/** What a payout has claimed of this affiliate; null when nothing. */
export async function claimedOf(db: Db, payoutId: number, affiliateId: number): Promise<ClaimedSum | null> {
  const [row] = await db.raw(
    'select t.id, count(*) as n, sum(i.amount_minor) as total, max(i.referral_id) as highest, ' +
      `sum(i.referral_id) as id_sum from ${db.name('payout_transactions')} t ` +
      `join ${db.name('payout_items')} i on i.transaction_id = t.id ` +
      'where t.payout_id = ? and t.affiliate_id = ? group by t.id',
    [payoutId, affiliateId],
  );
  if (row === undefined) return null;
  return {
    transaction_id: Number(row['id']),
    count: Number(row['n']),
    amount_minor: Number(row['total']),
    highest_id: Number(row['highest']),
    id_sum: String(row['id_sum']),
  };
}

/** An item that is about to be released. */
export interface ClaimedItem extends Claimable {
  readonly transaction_id: number;
}

/** Items of these transactions, deductions first, so that the remaining sum is above 0. */
export async function itemsOf(
  db: Db,
  transactionIds: readonly number[],
  limit: number | null,
): Promise<ClaimedItem[]> {
  if (transactionIds.length === 0) return [];
  const rows = await db.raw(
    'select i.referral_id, i.transaction_id, i.affiliate_id, i.amount_minor ' +
      `from ${db.name('payout_items')} i where i.transaction_id in (${transactionIds.map(int).join(', ')}) ` +
      'order by i.transaction_id, case when i.amount_minor < 0 then 0 when i.amount_minor = 0 then 1 else 2 end, ' +
      `i.referral_id${limit === null ? '' : ` limit ${int(limit)}`}`,
  );
  return rows.map((row) => ({
    id: Number(row['referral_id']),
    transaction_id: Number(row['transaction_id']),
    affiliate_id: Number(row['affiliate_id']),
    amount_minor: Number(row['amount_minor']),
  }));
}

/**
 * Releases these items of transactions, and removes the transactions that have none left. Referrals that were
 * deleted with their affiliate have only their item.
 */
export async function releaseItems(db: Db, released: readonly ClaimedItem[], now: number): Promise<void> {
  const sums = new Map<number, number>();
  for (const { transaction_id: id, amount_minor: amount } of released)
    sums.set(id, (sums.get(id) ?? 0) + amount);
  for (const ids of chunksOf(released.map(({ id }) => id))) {
    await db('referrals')
      .whereIn('id', ids)
      .where({ status: 'paid' })
      .update({ status: 'unpaid', payout_transaction_id: null, payout_id: null, updated_at: now });
    await db('payout_items').whereIn('referral_id', ids).delete();
  }
  for (const chunk of chunksOf([...sums])) {
    const transactions = db.name('payout_transactions');
    const ids = chunk.map(([id]) => int(id)).join(', ');
    await db.execute(
      `update ${transactions} set updated_at = ${int(now)}, total_amount_minor = total_amount_minor - case id ` +
        `${chunk.map(([id, sum]) => `when ${int(id)} then ${int(sum)}`).join(' ')} else 0 end where id in (${ids})`,
    );
    await db.execute(
      `delete from ${transactions} where id in (${ids}) and not exists (select 1 ` +
        `from ${db.name('payout_items')} i where i.transaction_id = ${transactions}.id)`,
    );
  }
}

function* chunksOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += CHUNK) yield list.slice(at, at + CHUNK);
}

const marks = (list: readonly unknown[]): string => list.map(() => '?').join(', ');

/** Finds claimed referrals of an import that never became part of a payout. */
export async function findStranded(db: Db, before: number, limit: number): Promise<StrandedReferral[]> {
  const rows: Row[] = await db('referrals')
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
