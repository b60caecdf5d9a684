import { countOf } from '../../records/list.js';
import { minor } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import { int } from '../../core/sql-int.js';
import { groupsSql, type Scope } from './queries.js';
import type { NotPaid, PayableGroup } from './types.js';

/** What a payout is to pay one affiliate. */
export type PlannedPayment = Pick<
  PayableGroup,
  'affiliate_id' | 'referral_count' | 'amount_minor' | 'highest_id' | 'id_sum'
>;

const COLUMNS = ['affiliate_id', 'referral_count', 'amount_minor', 'highest_id', 'id_sum'];

/** Stores what each affiliate is to be paid, in one statement. */
export async function insertPlan(db: Db, scope: Scope, payoutId: number): Promise<void> {
  const { text, bindings } = groupsSql(db, scope);
  await db.execute(
    `insert into ${db.name('payout_plan')} ` +
      '(payout_id, affiliate_id, referral_count, amount_minor, highest_id, id_sum) ' +
      `select ${int(payoutId)}, p.affiliate_id, p.referral_count, p.total, p.highest, p.id_sum ` +
      `from (${text}) p`,
    bindings,
  );
}

/** Affiliates of the plan after this one, in order. */
export async function plannedAfter(
  db: Db,
  payoutId: number,
  afterId: number,
  limit: number | null,
): Promise<PlannedPayment[]> {
  const query = db('payout_plan')
    .select(COLUMNS)
    .where({ payout_id: payoutId })
    .where('affiliate_id', '>', afterId)
    .orderBy('affiliate_id');
  const rows: Row[] = await (limit === null ? query : query.limit(limit));
  return rows.map((row) => ({
    affiliate_id: Number(row['affiliate_id']),
    referral_count: Number(row['referral_count']),
    amount_minor: minor(Number(row['amount_minor'])),
    highest_id: Number(row['highest_id']),
    id_sum: String(row['id_sum']),
  }));
}

export async function leaveOut(db: Db, payoutId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db('payout_plan')
    .where({ payout_id: payoutId })
    .whereIn('affiliate_id', ids)
    .update({ left_out: 'changed' });
}

/** The affiliates that a payout skipped, at most `limit`, and how many there are. */
export async function notPaid(
  db: Db,
  payoutId: number,
  limit: number,
): Promise<{ readonly count: number; readonly rows: readonly NotPaid[] }> {
  const of = (): ReturnType<Db> => db('payout_plan').where({ payout_id: payoutId }).whereNotNull('left_out');
  const count = await countOf(of());
  if (count === 0) return { count, rows: [] };
  const rows: Row[] = await of().select('affiliate_id', 'amount_minor').orderBy('affiliate_id').limit(limit);
  return {
    count,
    rows: rows.map((row) => ({
      affiliate_id: Number(row['affiliate_id']),
      amount_minor: minor(Number(row['amount_minor'])),
      code: 'changed',
    })),
  };
}

/** The plan was carried out: deletes it except for the skipped affiliates. */
export async function forgetPlan(db: Db, payoutId: number): Promise<void> {
  await db('payout_plan').where({ payout_id: payoutId }).whereNull('left_out').delete();
}

/** The payout of this plan pays no affiliate. */
export async function dropPlan(db: Db, payoutId: number): Promise<void> {
  await db('payout_plan').where({ payout_id: payoutId }).delete();
}
