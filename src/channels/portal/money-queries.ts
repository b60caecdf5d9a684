import { countOf } from '../../records/list.js';
import { readJson } from '../../core/json.js';
import { SUB_IDS, subIdsOf } from '../../core/sub-ids.js';
import type { Window } from '../../core/page.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { LedgerKind } from '../../accounting/ledger/types.js';
import type { TransactionStatus } from '../../accounting/payouts/types.js';
import type { Product, ReferralStatus, ReferralType } from '../../accounting/referrals/types.js';
import {
  type ChangeKind,
  type Decision,
  type EarningChange,
  type EarningsFilter,
  type EarningsRow,
  type EarningsTotal,
  type PaidCommission,
  type PaymentRow,
  type StatementLine,
  type StatementRange,
  CHANGE_KINDS,
} from './types.js';

// What affiliates read of their money. Every statement names the affiliate, so that it never returns a row of
// another affiliate. Statuses, types and kinds are stored by this program only, hence the casts to their
// words.

/** Ledger entries of a payment, one per commission. */
const OF_PAYMENT = "('paid', 'payment_reversed')";

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const orNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

/** The titles of an order's lines, each once. Lines of an imported order may look in any way. */
const titlesOf = (products: unknown): readonly string[] => {
  const lines = readJson<readonly (Product | null)[]>(products, []);
  const titles = Array.isArray(lines) ? lines.map((line) => text(line?.['title']) ?? '') : [];
  return [...new Set(titles)].filter((title) => title !== '');
};

function earnings(
  db: Db,
  affiliateId: number,
  { inState, status, search, created, subIds }: EarningsFilter,
): ReturnType<Db> {
  const query = db('referrals').where({ ...subIds, affiliate_id: affiliateId });
  whereCreated(query, created);
  inState?.(query);
  if (status !== null) query.where({ status });
  if (search !== '')
    query.where((any) => {
      db.dialect.contains(any, ['description', 'utm_campaign'], search);
    });
  return query;
}

/** Sums per currency; canceled commissions count for 0, and what they would have been is a sum of its own. */
export async function earningsTotals(
  db: Db,
  affiliateId: number,
  filter: EarningsFilter,
): Promise<EarningsTotal[]> {
  const isCanceled = "status in ('rejected', 'cancelled')";
  const rows: Row[] = await earnings(db, affiliateId, filter)
    .select('currency')
    .groupBy('currency')
    .count({ n: '*' })
    .sum({
      amount: db.knex.raw(`case when ${isCanceled} then 0 else amount_minor end`),
      would: db.knex.raw(`case when ${isCanceled} then ${filter.wouldHaveBeen} else 0 end`),
    });
  return rows.map((row) => ({
    currency: text(row['currency']),
    count: Number(row['n']),
    amount_minor: Number(row['amount'] ?? 0),
    would_have_been_minor: Number(row['would'] ?? 0),
  }));
}

/** The affiliate's own notes on these commissions. */
async function notesOf(db: Db, referralIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (referralIds.length === 0) return new Map();
  const rows: Row[] = await db('commission_notes')
    .select('referral_id', 'note')
    .whereIn('referral_id', [...referralIds]);
  return new Map(rows.map((row) => [Number(row['referral_id']), String(row['note'])]));
}

/** Writes the note on a commission of this affiliate; an empty one removes it. False when there is no such commission. */
export async function writeNote(
  trx: Db,
  affiliateId: number,
  { referralId, note }: { readonly referralId: number; readonly note: string },
): Promise<boolean> {
  const referral: Row | undefined = await trx('referrals')
    .first('id')
    .where({ id: referralId, affiliate_id: affiliateId });
  if (referral === undefined) return false;
  if (note === '') await trx('commission_notes').where({ referral_id: referralId }).delete();
  else
    await trx.dialect.upsert(
      trx,
      'commission_notes',
      [{ referral_id: referralId, note }],
      ['referral_id'],
      ['note'],
    );
  return true;
}

/** Newest first. */
export async function listEarnings(
  db: Db,
  affiliateId: number,
  filter: EarningsFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<EarningsRow[]> {
  const rows: Row[] = await earnings(db, affiliateId, filter)
    .select(
      'id',
      'description',
      'provider_id',
      'products',
      'status',
      'amount_minor',
      'currency',
      'utm_campaign',
      ...SUB_IDS,
      'type',
      'payable_at',
      'reject_reason',
      'payout_transaction_id',
      'created_at',
    )
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  const notes = await notesOf(
    db,
    rows.map((row) => Number(row['id'])),
  );
  return rows.map((row) => ({
    id: Number(row['id']),
    note: notes.get(Number(row['id'])) ?? '',
    description: text(row['description']),
    order_number: text(row['provider_id']),
    products: titlesOf(row['products']),
    status: row['status'] as ReferralStatus,
    amount_minor: Number(row['amount_minor']),
    currency: text(row['currency']),
    utm_campaign: text(row['utm_campaign']),
    ...subIdsOf(row),
    type: row['type'] as ReferralType,
    payable_at: orNull(row['payable_at']),
    reject_reason: text(row['reject_reason']),
    payout_transaction_id: orNull(row['payout_transaction_id']),
    created_at: Number(row['created_at']),
  }));
}

/** Changes of these commissions after they were earned, oldest first. */
export async function changesOf(
  db: Db,
  affiliateId: number,
  referralIds: readonly number[],
): Promise<EarningChange[]> {
  if (referralIds.length === 0) return [];
  const rows: Row[] = await db('ledger_entries')
    .select('referral_id', 'kind', 'total_delta_minor', 'created_at')
    .whereIn('referral_id', referralIds)
    .where({ affiliate_id: affiliateId })
    .whereIn('kind', CHANGE_KINDS)
    .whereNot({ total_delta_minor: 0 })
    .orderBy('id');
  return rows.map((row) => ({
    referral_id: Number(row['referral_id']),
    kind: row['kind'] as ChangeKind,
    delta_minor: Number(row['total_delta_minor']),
    at: Number(row['created_at']),
  }));
}

/** Sums of amounts in the waiting period, by the time slot in which the holds end. */
export async function releaseSlots(
  db: Db,
  affiliateId: number,
  { currency, now, slotMs }: { readonly currency: string; readonly now: number; readonly slotMs: number },
): Promise<{ at: number; amount_minor: number; count: number }[]> {
  const slot = db.dialect.slot('payable_at', slotMs);
  const rows = await db.raw(
    `select ${slot} as slot, sum(amount_minor) as amount, count(*) as n from ${db.name('referrals')} ` +
      "where status = 'unpaid' and affiliate_id = ? and payable_at > ? and (currency is null or currency = ?) " +
      `group by ${slot} order by slot`,
    [affiliateId, now, currency],
  );
  return rows.map((row) => ({
    at: Number(row['slot']) * slotMs,
    amount_minor: Number(row['amount']),
    count: Number(row['n']),
  }));
}

/** Commissions that count as income, by the time slot in which they were earned. */
export async function earnedSlots(
  db: Db,
  affiliateId: number,
  {
    currency,
    from,
    to,
    slotMs,
  }: { readonly currency: string; readonly from: number; readonly to: number; readonly slotMs: number },
): Promise<{ at: number; amount_minor: number }[]> {
  const slot = db.dialect.slot('created_at', slotMs);
  const rows = await db.raw(
    `select ${slot} as slot, sum(amount_minor) as amount from ${db.name('referrals')} ` +
      "where status in ('paid', 'unpaid') and affiliate_id = ? and created_at >= ? and created_at < ? " +
      `and (currency is null or currency = ?) group by ${slot}`,
    [affiliateId, from, to, currency],
  );
  return rows.map((row) => ({ at: Number(row['slot']) * slotMs, amount_minor: Number(row['amount']) }));
}

interface Statement {
  readonly affiliateId: number;
  readonly currency: string;
  readonly range: StatementRange;
}

function statementWhere({ affiliateId, currency, range }: Statement): {
  text: string;
  bindings: (string | number)[];
} {
  const from = range.from === null ? [] : [range.from];
  const to = range.to === null ? [] : [range.to];
  return {
    text:
      'affiliate_id = ? and currency = ? and unpaid_delta_minor <> 0' +
      `${from.length > 0 ? ' and created_at >= ?' : ''}${to.length > 0 ? ' and created_at <= ?' : ''}`,
    bindings: [affiliateId, currency, ...from, ...to],
  };
}

// All entries of one payment are one line.
const LINE = `kind, transaction_id, case when kind in ${OF_PAYMENT} then 0 else id end`;

export async function countStatement(db: Db, statement: Statement): Promise<number> {
  const { text: where, bindings } = statementWhere(statement);
  const [row] = await db.raw(
    `select count(*) as n from (select max(id) as id from ${db.name('ledger_entries')} where ${where} ` +
      `group by ${LINE}) as line`,
    bindings,
  );
  return Number(row?.['n'] ?? 0);
}

/** Newest first. */
export async function statementLines(
  db: Db,
  statement: Statement,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<StatementLine[]> {
  const { text: where, bindings } = statementWhere(statement);
  const rows = await db.raw(
    'select max(id) as id, kind, max(payout_id) as payout_id, transaction_id, max(referral_id) as referral_id, ' +
      'max(reason) as reason, ' +
      'sum(unpaid_delta_minor) as delta, count(*) as n, max(created_at) as at ' +
      `from ${db.name('ledger_entries')} where ${where} group by ${LINE} order by max(id) desc limit ? offset ?`,
    [...bindings, limit, offset],
  );
  return rows.map(toLine);
}

/** Single entries after this id, oldest first. */
export async function statementAfter(
  db: Db,
  statement: Statement,
  after: number,
  limit: number,
): Promise<StatementLine[]> {
  const { text: where, bindings } = statementWhere(statement);
  const rows = await db.raw(
    'select id, kind, payout_id, transaction_id, referral_id, reason, unpaid_delta_minor as delta, 1 as n, ' +
      'created_at as at ' +
      `from ${db.name('ledger_entries')} where ${where} and id > ? order by id limit ?`,
    [...bindings, after, limit],
  );
  return rows.map(toLine);
}

const toLine = (row: Row): StatementLine => ({
  id: Number(row['id']),
  kind: row['kind'] as LedgerKind,
  referral_id: orNull(row['referral_id']),
  payout_id: orNull(row['payout_id']),
  transaction_id: orNull(row['transaction_id']),
  reason: text(row['reason']),
  delta_minor: Number(row['delta']),
  count: Number(row['n']),
  at: Number(row['at']),
});

/** The balance before an instant, and what the entries of the range up to `upTo` added. */
export async function balanceAt(
  db: Db,
  statement: Statement,
  upTo: number | null,
): Promise<{ readonly opening: number; readonly added: number }> {
  const { affiliateId, currency, range } = statement;
  const sum = async (where: string, bindings: (string | number)[]): Promise<number> => {
    const [row] = await db.raw(
      `select coalesce(sum(unpaid_delta_minor), 0) as amount from ${db.name('ledger_entries')} where ${where}`,
      bindings,
    );
    return Number(row?.['amount'] ?? 0);
  };
  const { text: where, bindings } = statementWhere(statement);
  return {
    opening:
      range.from === null
        ? 0
        : await sum('affiliate_id = ? and currency = ? and created_at < ?', [
            affiliateId,
            currency,
            range.from,
          ]),
    added:
      upTo === null ? await sum(where, bindings) : await sum(`${where} and id <= ?`, [...bindings, upTo]),
  };
}

export interface StatementNames {
  readonly referrals: ReadonlyMap<number, { readonly description: string; readonly isCorrection: boolean }>;
  /** Titles of payouts; a payout outlives its payments. */
  readonly payouts: ReadonlyMap<number, string>;
  /** The payments that were not undone. */
  readonly payments: ReadonlySet<number>;
}

/** Descriptions of these commissions, and the payouts and payments of these lines. */
export async function namesOf(db: Db, lines: readonly StatementLine[]): Promise<StatementNames> {
  const ids = (pick: (line: StatementLine) => number | null): number[] =>
    [...new Set(lines.map(pick))].filter((id) => id !== null);
  const referralIds = ids((line) => (line.transaction_id === null ? line.referral_id : null));
  const transactionIds = ids((line) => line.transaction_id);
  const payoutIds = ids((line) => line.payout_id);
  const referrals: Row[] =
    referralIds.length === 0
      ? []
      : await db('referrals').select('id', 'description', 'type').whereIn('id', referralIds);
  const payments =
    transactionIds.length === 0 || payoutIds.length === 0
      ? []
      : await db.raw(
          `select p.id as payout_id, p.title, t.id as transaction_id from ${db.name('payouts')} p ` +
            `left join ${db.name('payout_transactions')} t on t.payout_id = p.id and t.id in (${marks(transactionIds)}) ` +
            `where p.id in (${marks(payoutIds)})`,
          [...transactionIds, ...payoutIds],
        );
  return {
    referrals: new Map(
      referrals.map((row) => [
        Number(row['id']),
        { description: text(row['description']) ?? '', isCorrection: row['type'] === 'adjustment' },
      ]),
    ),
    payouts: new Map(payments.map((row) => [Number(row['payout_id']), text(row['title']) ?? ''])),
    payments: new Set(payments.map((row) => orNull(row['transaction_id'])).filter((id) => id !== null)),
  };
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** What people decided about these commissions, oldest first. */
export async function decisionsOf(db: Db, referralIds: readonly number[]): Promise<Decision[]> {
  if (referralIds.length === 0) return [];
  const rows = await db.raw(
    `select o.referral_id, f.kind, f.data, f.created_at from ${db.name('orders')} o ` +
      `join ${db.name('order_facts')} f on f.order_id = o.id ` +
      `where o.referral_id in (${marks(referralIds)}) and f.kind in ('judgement', 'correction') order by f.id`,
    [...referralIds],
  );
  return rows.map((row) => {
    const data = readJson<Judged>(row['data'], {});
    return {
      referral_id: Number(row['referral_id']),
      change: data.verdict ?? 'amount',
      reason: data.reason ?? null,
      isShown: data.shown === true,
      at: Number(row['created_at']),
    };
  });
}

/** The stored data of a decision; only a judgement has a verdict. */
interface Judged {
  readonly verdict?: 'approved' | 'rejected' | 'held';
  readonly reason?: string | null;
  readonly shown?: boolean;
}

export async function countPayments(db: Db, affiliateId: number, created: CreationRange): Promise<number> {
  const query = db('payout_transactions').where({ affiliate_id: affiliateId });
  whereCreated(query, created);
  return countOf(query);
}

/** Newest first; or the one of this id. */
export async function listPayments(
  db: Db,
  affiliateId: number,
  which: { readonly id: number } | ({ readonly created: CreationRange } & Window),
): Promise<PaymentRow[]> {
  const query = db('payout_transactions')
    .select('id', 'payout_id', 'status', 'payout_method', 'currency', 'total_amount_minor')
    .select('created_at', 'updated_at')
    .where({ affiliate_id: affiliateId })
    .orderBy('id', 'desc');
  if ('id' in which) query.where({ id: which.id });
  else {
    whereCreated(query, which.created);
    query.limit(which.limit).offset(which.offset);
  }
  const rows: Row[] = await query;
  if (rows.length === 0) return [];
  const payouts: Row[] = await db('payouts')
    .select('id', 'title')
    .whereIn(
      'id',
      rows.map((row) => Number(row['payout_id'])),
    );
  const counts: Row[] = await db('payout_items')
    .select('transaction_id')
    .whereIn(
      'transaction_id',
      rows.map((row) => Number(row['id'])),
    )
    .groupBy('transaction_id')
    .count({ n: '*' });
  const titles = new Map(payouts.map((row) => [Number(row['id']), text(row['title'])]));
  const items = new Map(counts.map((row) => [Number(row['transaction_id']), Number(row['n'])]));
  return rows.map((row) => ({
    id: Number(row['id']),
    payout_id: Number(row['payout_id']),
    title: titles.get(Number(row['payout_id'])) ?? null,
    status: row['status'] as TransactionStatus,
    payout_method: String(row['payout_method']),
    currency: text(row['currency']),
    amount_minor: Number(row['total_amount_minor']),
    commissions: items.get(Number(row['id'])) ?? 0,
    created_at: Number(row['created_at']),
    updated_at: Number(row['updated_at']),
  }));
}

/** The commissions of a payment by id, after the given one. */
export async function paidCommissions(
  db: Db,
  payment: { readonly affiliateId: number; readonly id: number },
  window: { readonly after?: number; readonly offset?: number; readonly limit: number },
): Promise<PaidCommission[]> {
  const rows: Row[] = await db('payout_items')
    .select('referral_id', 'amount_minor', 'currency')
    .where({ transaction_id: payment.id, affiliate_id: payment.affiliateId })
    .where('referral_id', '>', window.after ?? 0)
    .orderBy('referral_id')
    .limit(window.limit)
    .offset(window.offset ?? 0);
  const ids = rows.map((row) => Number(row['referral_id']));
  const referrals: Row[] =
    ids.length === 0
      ? []
      : await db('referrals')
          .select('id', 'description', 'provider_id', 'products', 'created_at')
          .whereIn('id', ids);
  const known = new Map(referrals.map((row) => [Number(row['id']), row]));
  const notes = await notesOf(db, ids);
  return rows.map((row) => {
    const referral = known.get(Number(row['referral_id']));
    return {
      referral_id: Number(row['referral_id']),
      description: text(referral?.['description']),
      order_number: text(referral?.['provider_id']),
      products: titlesOf(referral?.['products']),
      note: notes.get(Number(row['referral_id'])) ?? '',
      earned_at: orNull(referral?.['created_at']),
      amount_minor: Number(row['amount_minor']),
      currency: String(row['currency']),
    };
  });
}
