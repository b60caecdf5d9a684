import { int } from '../../core/sql-int.js';
import { minor } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { PayableGroup, PaymentDetails, PayoutConfig, SkippedCurrency } from './types.js';

/** The part of a configuration that decides which referrals are paid. */
export type Choice = Pick<
  PayoutConfig,
  'affiliate_ids' | 'from' | 'to' | 'currency' | 'program' | 'min_payout_minor'
>;

/** Which referrals a run can take; preview, plan and claim use the same scope. */
export interface Scope {
  readonly config: Choice;
  /** The time at which holds (`payable_at`) are compared. */
  readonly now: number;
  /**
   * The highest referral id the extensions saw; later ones wait for the next run (docs/reliability.md §3.4).
   */
  readonly upTo: number | null;
  /** Affiliates skipped because they are being merged, or because their orders are being settled. */
  readonly merging: readonly number[];
  /** Affiliates skipped because their host user was deleted. */
  readonly excluded: readonly number[];
  readonly requireActive: boolean;
  /** The payment details that an affiliate must have; null: none. */
  readonly requireDetails: PaymentDetails | null;
  /**
   * The kind of details that the method of the run needs, else the kind the program asks for; used for
   * warnings.
   */
  readonly details: PaymentDetails;
  /** The method of the run, and whether it stores details of its own, which an affiliate must have. */
  readonly method: { readonly key: string; readonly ownDetails: boolean };
}

export interface Sql {
  readonly text: string;
  readonly bindings: readonly string[];
}

/** The conditions on `referrals r` (docs/interface.md §9.1), one currency only. */
function payableWhere(scope: Scope): Sql {
  const { config } = scope;
  const currency = config.program ? '(r.currency = ? or r.currency is null)' : 'r.currency = ?';
  return { text: `${openWhere(scope)} and ${currency}`, bindings: [config.currency] };
}

function openWhere({ config, now, upTo, excluded }: Scope): string {
  const conditions = [
    "r.status = 'unpaid'",
    'r.payout_transaction_id is null',
    'r.affiliate_id is not null',
    // what was taken back counts in every range: a negative rest is carried over to later runs
    // (docs/payouts.md)
    `(r.amount_minor < 0 or (r.created_at >= ${int(config.from)} and r.created_at <= ${int(config.to)}))`,
    `(r.payable_at is null or r.payable_at <= ${int(now)})`,
  ];
  if (upTo !== null) conditions.push(`r.id <= ${int(upTo)}`);
  if (config.affiliate_ids.length > 0)
    conditions.push(`r.affiliate_id in (${config.affiliate_ids.map(int).join(', ')})`);
  if (excluded.length > 0) conditions.push(`r.affiliate_id not in (${excluded.map(int).join(', ')})`);
  return conditions.join(' and ');
}

function eligibleSql(db: Db, scope: Scope): Sql {
  const { requireActive, requireDetails, merging } = scope;
  const usable = usableSql(db, scope);
  const eligible = [
    ...(merging.length > 0 ? [`a.id not in (${merging.map(int).join(', ')})`] : []),
    ...(requireActive ? ["a.status = 'active'"] : []),
    ...(requireDetails === null ? [] : [detailsSql(requireDetails)]),
    usable.text,
  ];
  return { text: ` where ${eligible.join(' and ')}`, bindings: usable.bindings };
}

/** One row per affiliate that reaches the minimum, as a derived table's text. */
export function groupsSql(db: Db, scope: Scope): Sql {
  const where = payableWhere(scope);
  const onlyEligible = eligibleSql(db, scope);
  const least = int(scope.config.min_payout_minor);
  return sharesOf(db, where, {
    having: ` having sum(r.amount_minor) > 0 and sum(r.amount_minor) >= ${least}`,
    details: scope.details,
    onlyEligible,
  });
}

/** Like `groupsSql`, for all affiliates, whether or not they reach the minimum. */
export function sharesSql(db: Db, scope: Scope): Sql {
  return sharesOf(db, payableWhere(scope), {
    having: '',
    details: scope.details,
    onlyEligible: eligibleSql(db, scope),
  });
}

function sharesOf(
  db: Db,
  where: Sql,
  { having, details, onlyEligible }: { having: string; details: PaymentDetails; onlyEligible: Sql },
): Sql {
  return {
    text:
      'select g.affiliate_id, g.referral_count, g.total, g.highest, g.id_sum, a.user_id, a.status, ' +
      `case when ${detailsSql(details)} then 1 else 0 end as details ` +
      'from (select r.affiliate_id, count(*) as referral_count, sum(r.amount_minor) as total, ' +
      'max(r.id) as highest, sum(r.id) as id_sum ' +
      `from ${db.name('referrals')} r where ${where.text} group by r.affiliate_id${having}) g ` +
      `join ${db.name('affiliates')} a on a.id = g.affiliate_id${onlyEligible.text}`,
    bindings: [...where.bindings, ...onlyEligible.bindings],
  };
}

// We write the JSON of settings ourselves, so a key with a value has exactly one spelling.
export const detailsSql = (kind: PaymentDetails): string =>
  kind === 'payment_email'
    ? "(a.payment_email is not null and a.payment_email <> '')"
    : `(a.settings like '%"bank_details":"%' and a.settings not like '%"bank_details":""%')`;

/**
 * Can the payer of this affiliate use its details? Not those that were refused or failed since they were
 * entered, nor missing ones where the method stores its own.
 */
export function usableSql(db: Db, { method }: Scope): Sql {
  const details = db.name('payment_details');
  const chosen = `select c.method from ${details} c where c.affiliate_id = a.id and c.chosen = 1`;
  const spoilt =
    `exists (select 1 from ${details} d where d.affiliate_id = a.id and d.state <> 'ok' ` +
    `and d.method = coalesce((${chosen}), ?))`;
  const own = method.ownDetails
    ? ` and exists (select 1 from ${details} o where o.affiliate_id = a.id and (o.chosen = 1 or ` +
      '(o.method = ? and o.sealed is not null)))'
    : '';
  return {
    text: `(not ${spoilt}${own})`,
    bindings: method.ownDetails ? [method.key, method.key] : [method.key],
  };
}

export async function findPayable(db: Db, scope: Scope): Promise<PayableGroup[]> {
  const { text, bindings } = groupsSql(db, scope);
  return (await db.raw(`${text} order by g.affiliate_id`, bindings)).map(toGroup);
}

/** What these affiliates could be paid now; read under their locks. */
export async function findShares(db: Db, scope: Scope): Promise<PayableGroup[]> {
  const { text, bindings } = sharesSql(db, scope);
  return (await db.raw(text, bindings)).map(toGroup);
}

/** A referral that is about to be claimed. */
export interface Claimable {
  readonly id: number;
  readonly affiliate_id: number;
  readonly amount_minor: number;
}

/**
 * Payable referrals of these affiliates. Of each affiliate those that pay something come first and those that
 * take something back last, so the sum of every part is above 0.
 */
export async function payableRows(db: Db, scope: Scope, limit: number | null): Promise<Claimable[]> {
  const where = payableWhere(scope);
  const rows = await db.raw(
    `select r.id, r.affiliate_id, r.amount_minor from ${db.name('referrals')} r where ${where.text} order by ` +
      'r.affiliate_id, case when r.amount_minor > 0 then 0 when r.amount_minor = 0 then 1 else 2 end, r.id' +
      (limit === null ? '' : ` limit ${int(limit)}`),
    where.bindings,
  );
  return rows.map((row) => ({
    id: Number(row['id']),
    affiliate_id: Number(row['affiliate_id']),
    amount_minor: Number(row['amount_minor']),
  }));
}

const toGroup = (row: Row): PayableGroup => ({
  affiliate_id: Number(row.affiliate_id),
  user_id: row.user_id === null ? null : Number(row.user_id),
  status: String(row.status),
  has_payment_details: Number(row.details) === 1,
  referral_count: Number(row.referral_count),
  amount_minor: minor(Number(row.total)),
  highest_id: Number(row.highest),
  id_sum: String(row.id_sum),
});

/** The highest referral id there is; later ones are no part of what is read now. */
export async function newestReferral(db: Db): Promise<number> {
  const row = (await db('referrals').max({ id: 'id' }).first()) as Row | undefined;
  return Number(row?.['id'] ?? 0);
}

/** Unpaid amounts of the same range in other currencies; they need a run of their own. */
export async function findSkipped(db: Db, scope: Scope, programCurrency: string): Promise<SkippedCurrency[]> {
  const own = 'coalesce(r.currency, ?)';
  const rows = await db.raw(
    `select ${own} as currency, sum(r.amount_minor) as total, count(*) as n from ${db.name('referrals')} r ` +
      `where ${openWhere(scope)} and ${own} <> ? group by r.currency`,
    [programCurrency, programCurrency, scope.config.currency],
  );
  return mergeCurrencies(rows);
}

// Null and the program's currency are two groups in SQL, but the same in responses.
function mergeCurrencies(rows: readonly Row[]): SkippedCurrency[] {
  const found = new Map<string, SkippedCurrency>();
  for (const row of rows) {
    const currency = String(row.currency);
    const known = found.get(currency);
    found.set(currency, {
      currency,
      amount_minor: minor(Number(row.total) + (known?.amount_minor ?? 0)),
      referral_count: Number(row.n) + (known?.referral_count ?? 0),
    });
  }
  return [...found.values()].sort((a, b) => a.currency.localeCompare(b.currency));
}

/**
 * Locks the rows of all affiliates with a payable referral, in ascending order, in one statement
 * (docs/reliability.md §3.1).
 */
export async function lockPayableAffiliates(db: Db, scope: Scope): Promise<void> {
  const where = payableWhere(scope);
  await db.dialect.forUpdate(
    db('affiliates')
      .select('id')
      .whereRaw(`id in (select r.affiliate_id from ${db.name('referrals')} r where ${where.text})`, [
        ...where.bindings,
      ])
      .orderBy('id'),
  );
}
