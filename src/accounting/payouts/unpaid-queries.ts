import { minor, type Minor } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import { int } from '../../core/sql-int.js';
import { detailsSql, usableSql, type Scope, type Sql } from './queries.js';
import type { UnpaidReason } from './types.js';

/** The unpaid amount for one reason and currency. */
export interface UnpaidTotal {
  readonly reason: UnpaidReason;
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly referral_count: number;
  readonly affiliates_count: number;
}

/** What one affiliate does not get in this run, and why. */
export interface UnpaidShare {
  readonly affiliate_id: number | null;
  readonly reason: UnpaidReason;
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly referral_count: number;
  /** When the first of the held amounts can be paid. */
  readonly until: number | null;
}

/**
 * Every amount that is owed and not paid, with the reason that decides: the first that applies, from top to
 * bottom.
 */
function sharesSql(db: Db, scope: Scope, program: string): Sql {
  const { config, now, upTo, excluded } = scope;
  const selected =
    config.affiliate_ids.length === 0
      ? '1 = 1'
      : `r.affiliate_id in (${config.affiliate_ids.map(int).join(', ')})`;
  const groups =
    'select r.affiliate_id, coalesce(r.currency, ?) as currency, case ' +
    "when r.affiliate_id is null then 'user_missing' when r.status <> 'unpaid' then 'held' " +
    `when r.payable_at > ${int(now)} then 'until' ` +
    "when coalesce(r.currency, ?) <> ? then 'other_currency' " +
    `when not (${selected}) then 'not_selected' ` +
    `when r.amount_minor >= 0 and (r.created_at < ${int(config.from)} ` +
    `or r.created_at > ${int(config.to)}) then 'outside_range' ` +
    "else 'open' end as part, sum(r.amount_minor) as total, count(*) as n, min(r.payable_at) as waits_until " +
    `from ${db.name('referrals')} r where r.status in ('unpaid', 'pending', 'processing')` +
    `${upTo === null ? '' : ` and r.id <= ${int(upTo)}`} group by 1, 2, 3`;
  const isGone = excluded.length === 0 ? '1 = 0' : `g.affiliate_id in (${excluded.map(int).join(', ')})`;
  const usable = usableSql(db, scope);
  const reason =
    "case when g.part <> 'open' then g.part " +
    (scope.merging.length > 0 ? `when a.id in (${scope.merging.map(int).join(', ')}) then 'held' ` : '') +
    (scope.requireActive ? "when a.status <> 'active' then 'inactive' " : '') +
    (scope.requireDetails === null
      ? ''
      : `when not ${detailsSql(scope.requireDetails)} then 'no_payment_details' `) +
    `when a.id is not null and not ${usable.text} then 'no_payment_details' ` +
    `when g.total <= 0 or g.total < ${int(config.min_payout_minor)} then 'below_minimum' ` +
    `when ${isGone} then 'user_missing' else 'paid_now' end`;
  return {
    text:
      `select g.affiliate_id, g.currency, ${reason} as reason, g.total, g.n, g.waits_until from (${groups}) g ` +
      `left join ${db.name('affiliates')} a on a.id = g.affiliate_id`,
    bindings: [...usable.bindings, program, program, config.currency],
  };
}

export async function unpaidTotals(db: Db, scope: Scope, program: string): Promise<UnpaidTotal[]> {
  const { text, bindings } = sharesSql(db, scope, program);
  const rows = await db.raw(
    'select s.reason, s.currency, sum(s.total) as total, sum(s.n) as n, ' +
      `count(distinct s.affiliate_id) as affiliates from (${text}) s ` +
      'group by s.reason, s.currency order by s.reason, s.currency',
    bindings,
  );
  return rows.map((row) => ({ ...share(row), affiliates_count: Number(row['affiliates']) }));
}

export async function unpaidShares(
  db: Db,
  scope: Scope,
  program: string,
  limit: number,
): Promise<UnpaidShare[]> {
  const { text, bindings } = sharesSql(db, scope, program);
  const rows = await db.raw(
    `select s.* from (${text}) s where s.reason <> 'paid_now' ` +
      `order by coalesce(s.affiliate_id, 0), s.reason, s.currency limit ${int(limit)}`,
    bindings,
  );
  return rows.map((row) => {
    const { reason, ...rest } = share(row);
    return {
      affiliate_id: row['affiliate_id'] === null ? null : Number(row['affiliate_id']),
      reason,
      ...rest,
      until: reason === 'until' ? Number(row['waits_until']) : null,
    };
  });
}

const share = (row: Row): Omit<UnpaidTotal, 'affiliates_count'> => ({
  reason: String(row['reason']) as UnpaidReason, // one of the words in the SQL above
  currency: String(row['currency']),
  amount_minor: minor(Number(row['total'])),
  referral_count: Number(row['n']),
});
