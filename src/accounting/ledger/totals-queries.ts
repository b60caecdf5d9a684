import type { Db, Row } from '../../platform/database/db.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import type { CountedReferral, ReferralStatus } from './types.js';

// Table referral_totals: sums over the referrals of one affiliate, provider and currency. `''` means no
// provider or no currency, 0 no affiliate. Every writer holds the lock of the affiliate's row, so two never
// wait for the same row here.

const STATUSES: readonly ReferralStatus[] = [
  'paid',
  'unpaid',
  'pending',
  'rejected',
  'cancelled',
  'processing',
];
/** Statuses whose amounts are shown somewhere. */
const EARNED: readonly ReferralStatus[] = ['paid', 'unpaid'];
const KEY = ['affiliate_id', 'provider', 'currency'] as const;
export const TOTALS: readonly string[] = [
  ...STATUSES,
  ...EARNED.flatMap((status) => [`${status}_minor`, `${status}_order_minor`]),
];

const ADJUSTMENT = 'adjustment';
/** SQL for the number that a referral counts for. */
const NUMBER = `case when type = '${ADJUSTMENT}' then 0 else 1 end`;

const NOTHING: Readonly<Record<string, number>> = Object.fromEntries(TOTALS.map((column) => [column, 0]));

function rowOf(referral: CountedReferral, sign: 1 | -1): Record<string, string | number> {
  const { status } = referral;
  const money = {
    [`${status}_minor`]: sign * referral.amount_minor,
    [`${status}_order_minor`]: sign * (referral.order_total_minor ?? 0),
  };
  return {
    ...NOTHING,
    [status]: referral.type === ADJUSTMENT ? 0 : sign,
    ...(EARNED.includes(status) && money),
    affiliate_id: referral.affiliate_id ?? 0,
    provider: referral.provider ?? '',
    currency: referral.currency ?? '',
  };
}

/** Counts one referral that was added, changed or deleted. */
export async function countChange(
  db: Db,
  before: CountedReferral | null,
  after: CountedReferral | null,
): Promise<void> {
  const rows = [...(before ? [rowOf(before, -1)] : []), ...(after ? [rowOf(after, 1)] : [])];
  const moves = TOTALS.some((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0) !== 0);
  if (moves) await db.dialect.addTo(db, 'referral_totals', rows, KEY, TOTALS);
}

/** A part of a WHERE clause over referrals; our own text. */
export interface Which {
  readonly text: string;
  readonly bindings: readonly (string | number)[];
}

const GROUP = "coalesce(affiliate_id, 0), coalesce(provider, ''), coalesce(currency, '')";

function select(
  db: Db,
  figures: Readonly<Record<string, string>>,
  { text, bindings }: Which,
): { columns: string[]; text: string; bindings: Which['bindings'] } {
  const values = Object.entries(figures)
    .map(([column, sql]) => `${sql} as ${column}`)
    .join(', ');
  return {
    columns: [...KEY, ...Object.keys(figures)],
    bindings,
    text:
      `select coalesce(affiliate_id, 0) as affiliate_id, coalesce(provider, '') as provider, ` +
      `coalesce(currency, '') as currency, ${values} ` +
      `from ${db.name('referrals')} where ${text} group by ${GROUP}`,
  };
}

/** The SQL for every figure of these referrals, by its column. */
function figures(sign: '' | '-'): Record<string, string> {
  const sum = (status: string, value: string): string =>
    `${sign}sum(case when status = '${status}' then ${value} else 0 end)`;
  return Object.fromEntries([
    ...STATUSES.map((status) => [status, sum(status, NUMBER)] as const),
    ...EARNED.flatMap((status) => [
      [`${status}_minor`, sum(status, 'amount_minor')] as const,
      [`${status}_order_minor`, sum(status, 'coalesce(order_total_minor, 0)')] as const,
    ]),
  ]);
}

/** Counts referrals that were not counted before. */
export async function countStored(db: Db, which: Which): Promise<void> {
  await db.dialect.addSelected(db, 'referral_totals', select(db, figures(''), which), KEY, TOTALS);
}

/** The opposite: they are about to be counted for another affiliate. */
export async function uncount(db: Db, which: Which): Promise<void> {
  await db.dialect.addSelected(db, 'referral_totals', select(db, figures('-'), which), KEY, TOTALS);
}

/** Counts these referrals as moved from one status to another. */
export async function countMoved(
  db: Db,
  which: Which,
  from: ReferralStatus,
  to: ReferralStatus,
): Promise<void> {
  const moved = (status: ReferralStatus, sign: '' | '-'): Record<string, string> => ({
    [status]: `${sign}sum(${NUMBER})`,
    ...(EARNED.includes(status) && {
      [`${status}_minor`]: `${sign}sum(amount_minor)`,
      [`${status}_order_minor`]: `${sign}sum(coalesce(order_total_minor, 0))`,
    }),
  });
  const changed = { ...moved(from, '-'), ...moved(to, '') };
  await db.dialect.addSelected(db, 'referral_totals', select(db, changed, which), KEY, Object.keys(changed));
}

export async function addTotals(db: Db, { from, into }: AffiliateMerge): Promise<void> {
  const source = {
    columns: [...KEY, ...TOTALS],
    text:
      `select ${Number(into)} as affiliate_id, provider, currency, ${TOTALS.join(', ')} ` + // typed, for PostgreSQL
      `from ${db.name('referral_totals')} where affiliate_id = ?`,
    bindings: [from],
  };
  await db.dialect.addSelected(db, 'referral_totals', source, KEY, TOTALS);
}

export async function deleteTotals(db: Db, affiliateIds: readonly number[]): Promise<void> {
  await db('referral_totals').whereIn('affiliate_id', affiliateIds).delete();
}

/** Rows that differ from the sums over their referrals, by affiliate, lowest id first. */
export async function wrongTotals(db: Db, limit: number): Promise<{ affiliate_id: number; rows: number }[]> {
  const counted = select(db, figures('-'), { text: '1 = 1', bindings: [] });
  const differs = TOTALS.map((column) => `sum(${column}) <> 0`).join(' or ');
  const rows: Row[] = await db.raw(
    'select affiliate_id, count(*) as n from (select affiliate_id ' +
      `from (select ${counted.columns.join(', ')} from ${db.name('referral_totals')} ` +
      `union all ${counted.text}) both_sides group by affiliate_id, provider, currency having ${differs}) wrong ` +
      `group by affiliate_id order by affiliate_id limit ${limit}`,
  );
  return rows.map((row) => ({ affiliate_id: Number(row['affiliate_id']), rows: Number(row['n']) }));
}
