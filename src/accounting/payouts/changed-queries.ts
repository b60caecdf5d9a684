import { minor, type Minor } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import { int } from '../../core/sql-int.js';
import type { CommissionChange } from './types.js';

/** What happened to a commission after a payout claimed it. */
export interface ChangedItem {
  readonly transaction_id: number;
  readonly referral_id: number;
  readonly change: CommissionChange;
  /** The amount that is still due, without what other payouts have taken back; at most the claimed amount. */
  readonly due_minor: Minor;
}

export interface ChangedTransaction {
  readonly transaction_id: number;
  readonly changed_count: number;
  /** The part of the claimed amount that is no longer due; 0 when commissions are only disputed or held. */
  readonly not_due_minor: Minor;
}

/**
 * Items whose order has changed since they were claimed: less is due, or it is disputed or held. What another
 * payout has taken back by an adjustment is no difference. Alias `c`: transaction_id, referral_id, change,
 * amount, due.
 */
function changedSql(db: Db, where: string): string {
  const taken =
    `(select coalesce(sum(x.amount_minor), 0) from ${db.name('referrals')} x ` +
    "where x.parent_id = i.referral_id and x.type = 'adjustment' and x.status <> 'unpaid')";
  const owed = "case when o.due_status = 'rejected' then 0 else coalesce(o.due_minor, 0) end";
  return (
    'select d.transaction_id, d.referral_id, d.amount, case ' +
    'when d.due > d.amount then d.amount else d.due end as due, ' +
    "case when d.due_status <> 'pending' then 'refunded' when d.reasons like '%\"dispute\"%' then 'disputed' " +
    "else 'held' end as change_kind " +
    `from (select i.transaction_id, i.referral_id, i.amount_minor as amount, ${owed} - ${taken} as due, ` +
    'o.due_status, o.reasons ' +
    `from ${db.name('payout_items')} i join ${db.name('payout_transactions')} t on t.id = i.transaction_id ` +
    `join ${db.name('orders')} o on o.referral_id = i.referral_id and o.deleted_at is null ` +
    'and o.due_status is not null ' +
    `where t.status = 'processing' and ${where} ` +
    // What was taken is 0 or less, so others cannot have changed. Without this, the adjustments of every item
    // are looked up, and a SQLite whose statistics are older than the first adjustment reads all referrals for it.
    `and (${owed} < i.amount_minor or o.due_status = 'pending')) d ` +
    "where d.due < d.amount or d.due_status = 'pending'"
  );
}

/** Open transactions with changed commissions, of a payout or among these. */
export async function changedTransactions(
  db: Db,
  of: { readonly payoutId: number } | { readonly ids: readonly number[] },
): Promise<ReadonlyMap<number, ChangedTransaction>> {
  if ('ids' in of && of.ids.length === 0) return new Map();
  const where = 'ids' in of ? `t.id in (${of.ids.map(int).join(', ')})` : `t.payout_id = ${int(of.payoutId)}`;
  const rows = await db.raw(
    'select c.transaction_id, count(*) as n, sum(c.amount - c.due) as gone ' +
      `from (${changedSql(db, where)}) c group by c.transaction_id`,
  );
  return new Map(
    rows.map((row) => [
      Number(row['transaction_id']),
      {
        transaction_id: Number(row['transaction_id']),
        changed_count: Number(row['n']),
        not_due_minor: minor(Number(row['gone'])),
      },
    ]),
  );
}

/** Of these referrals, those whose commission changed since an open transaction claimed it. */
export async function changedItems(
  db: Db,
  referralIds: readonly number[],
): Promise<ReadonlyMap<number, ChangedItem>> {
  if (referralIds.length === 0) return new Map();
  const rows = await db.raw(changedSql(db, `i.referral_id in (${referralIds.map(int).join(', ')})`));
  return new Map(rows.map((row) => [Number(row['referral_id']), toItem(row)]));
}

const toItem = (row: Row): ChangedItem => ({
  transaction_id: Number(row['transaction_id']),
  referral_id: Number(row['referral_id']),
  change: String(row['change_kind']) as CommissionChange, // one of the words in the SQL above
  due_minor: minor(Number(row['due'])),
});
