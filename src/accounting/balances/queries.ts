import { int } from '../../core/sql-int.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { MoneyState } from './types.js';

// The SQL for the states of a referral's money (docs/money.md, "Where the money is"). Sums come from the
// stored totals; only open and canceled referrals are read.

/** Affiliates as a condition on a column; the text is our own. */
export interface Owners {
  readonly where: (column: string) => string;
  readonly bindings: readonly (string | number)[];
  /** One sum for all of them instead of one for each. */
  readonly asOneSum: boolean;
}

/** What the sums are made of. `unpaid` is payable and waiting together. */
export type Part = Exclude<MoneyState, 'payable' | 'paid'> | 'claimed' | 'unpaid';

export interface PartSum {
  readonly affiliate_id: number;
  /** Blank: the program's. */
  readonly currency: string;
  readonly part: Part;
  /** Why it was canceled; blank for other parts. */
  readonly reason: string;
  readonly amount_minor: number;
}

const openTransactions = (db: Db): string =>
  `(select x.id from ${db.name('payout_transactions')} x where x.status = 'processing')`;

/** The condition on referrals (`prefix` is an alias with a dot, or blank) that holds for one state. */
export function stateWhere(db: Db, state: MoneyState, now: number, prefix = ''): string {
  const [status, until, transaction] = ['status', 'payable_at', 'payout_transaction_id'].map(
    (column) => `${prefix}${column}`,
  );
  const conditions: Readonly<Record<MoneyState, string>> = {
    payable: `${status} = 'unpaid' and (${until} is null or ${until} <= ${int(now)})`,
    waiting: `${status} = 'unpaid' and ${until} > ${int(now)}`,
    held: `${status} in ('pending', 'processing')`,
    on_its_way: `${status} = 'paid' and ${transaction} in ${openTransactions(db)}`,
    paid: `${status} = 'paid' and (${transaction} is null or ${transaction} not in ${openTransactions(db)})`,
    canceled: `${status} in ('rejected', 'cancelled')`,
  };
  return conditions[state];
}

/** A canceled commission still has its amount, except after a full refund: then its order has it. */
export const wouldHaveBeen = (db: Db, prefix = 'r.'): string =>
  `case when ${prefix}amount_minor <> 0 then ${prefix}amount_minor else coalesce((select max(` +
  `coalesce(o.full_minor, ${db.dialect.jsonInteger('o.terms', 'amount_minor')})) from ${db.name('orders')} o ` +
  `where o.referral_id = ${prefix}id), 0) end`;

function partSql(db: Db, part: Part, owners: Owners, now: number): string {
  const owner = (column: string): string => (owners.asOneSum ? '0' : column);
  const select = (of: string, currency: string, reason: string, amount: string): string =>
    `select ${owner(of)} as affiliate_id, coalesce(${currency}, '') as currency, '${part}' as part, ` +
    `${reason} as reason, ${amount} as amount `;
  const ofReferrals = (state: MoneyState, reason: string, amount: string): string =>
    `${select('r.affiliate_id', 'r.currency', reason, amount)}from ${db.name('referrals')} r ` +
    `where ${stateWhere(db, state, now, 'r.')} and ${owners.where('r.affiliate_id')}`;
  if (part === 'claimed' || part === 'unpaid')
    return (
      select('t.affiliate_id', 't.currency', "''", part === 'claimed' ? 't.paid_minor' : 't.unpaid_minor') +
      `from ${db.name('referral_totals')} t where ${owners.where('t.affiliate_id')}`
    );
  if (part === 'on_its_way')
    return (
      select('t.affiliate_id', 't.currency', "''", 't.total_amount_minor') +
      `from ${db.name('payout_transactions')} t join ${db.name('payouts')} p on p.id = t.payout_id ` +
      `join ${db.name('affiliates')} a on a.id = t.affiliate_id ` +
      `where p.status = 'processing' and t.status = 'processing' and ${owners.where('t.affiliate_id')}`
    );
  return part === 'canceled'
    ? ofReferrals(part, "coalesce(r.reject_reason, '')", wouldHaveBeen(db))
    : ofReferrals(part, "''", 'r.amount_minor');
}

/** The sums of these parts, in one statement. */
export async function partSums(
  db: Db,
  parts: readonly Part[],
  owners: Owners,
  now: number,
): Promise<PartSum[]> {
  const rows = await db.raw(
    'select m.affiliate_id, m.currency, m.part, m.reason, sum(m.amount) as amount ' +
      `from (${parts.map((part) => partSql(db, part, owners, now)).join(' union all ')}) m ` +
      'group by m.affiliate_id, m.currency, m.part, m.reason',
    parts.flatMap(() => owners.bindings),
  );
  return rows.map((row) => ({
    affiliate_id: Number(row['affiliate_id']),
    currency: String(row['currency']),
    part: String(row['part']) as Part, // one of the words in the SQL above
    reason: String(row['reason']),
    amount_minor: Number(row['amount']),
  }));
}

/** Of these transactions, those that are not confirmed. */
export async function openAmong(db: Db, transactionIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (transactionIds.length === 0) return new Set();
  const rows: Row[] = await db('payout_transactions')
    .select('id')
    .where({ status: 'processing' })
    .whereIn('id', transactionIds);
  return new Set(rows.map((row) => Number(row['id'])));
}

/** What these canceled commissions would have been. */
export async function canceledAmounts(
  db: Db,
  referralIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (referralIds.length === 0) return new Map();
  const rows = await db.raw(
    `select r.id, ${wouldHaveBeen(db)} as amount from ${db.name('referrals')} r ` +
      `where r.id in (${referralIds.map(int).join(', ')})`,
  );
  return new Map(rows.map((row) => [Number(row['id']), Number(row['amount'])]));
}

/** Affiliates that a query finds, as a condition. */
export function foundOwners(db: Db, matching: (query: ReturnType<Db>) => void): Owners {
  const query = db('affiliates').select('id');
  matching(query);
  const { sql, bindings } = query.toSQL();
  return {
    where: (column) => `${column} in (${sql})`,
    bindings: bindings as readonly (string | number)[], // what the filters of lists bind
    asOneSum: true,
  };
}
