import { chunks } from '../../core/chunks.js';
import { int } from '../../core/sql-int.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { EarningFigures, LedgerEntry } from './types.js';

const MAX_MINOR = 999_999_999_999_999;

export interface CounterDeltas {
  readonly total: number;
  readonly unpaid: number;
  readonly referrals: number;
}

const CHUNK = 1000;

/** Takes the row locks in ascending order of id, as all code does. */
export async function lockAffiliates(db: Db, ids: readonly number[]): Promise<void> {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  db.willLock(sorted.map(String));
  if (sorted.length === 1) {
    await db.lockRow('affiliates', ['id'], { id: sorted[0]! });
    return;
  }
  for (const chunk of chunks(sorted, 1000)) {
    await db.dialect.forUpdate(db('affiliates').select('id').whereIn('id', chunk).orderBy('id'));
  }
}

/**
 * Affected rows: 0 when the affiliate was deleted, a total would exceed 15 digits, or the row is counted in
 * another currency than the one given.
 */
export async function addToCounters(
  db: Db,
  affiliateId: number,
  deltas: CounterDeltas,
  currency: string | null = null,
): Promise<number> {
  return db.execute(
    `update ${db.name('affiliates')} set total_earnings_minor = total_earnings_minor + ?, ` +
      'unpaid_earnings_minor = unpaid_earnings_minor + ?, referrals = referrals + ? ' +
      'where id = ? and total_earnings_minor + ? between ? and ? and unpaid_earnings_minor + ? between ? and ?' +
      (currency === null ? '' : ' and (counted_in is null or counted_in = ?)'),
    [
      deltas.total,
      deltas.unpaid,
      deltas.referrals,
      affiliateId,
      deltas.total,
      -MAX_MINOR,
      MAX_MINOR,
      deltas.unpaid,
      -MAX_MINOR,
      MAX_MINOR,
      ...(currency === null ? [] : [currency]),
    ],
  );
}

/** The currency its row is counted in: null is the program's. Undefined when there is no such affiliate. */
export async function countedIn(db: Db, id: number): Promise<string | null | undefined> {
  const row: Row | undefined = await db('affiliates').first('counted_in').where({ id });
  return row && ((row['counted_in'] as string | null) ?? null);
}

export async function countersOf(db: Db, affiliateId: number): Promise<CounterDeltas> {
  const row: Row | undefined = await db('affiliates')
    .first('total_earnings_minor', 'unpaid_earnings_minor', 'referrals')
    .where({ id: affiliateId });
  return {
    total: Number(row?.['total_earnings_minor'] ?? 0),
    unpaid: Number(row?.['unpaid_earnings_minor'] ?? 0),
    referrals: Number(row?.['referrals'] ?? 0),
  };
}

/** The only change of stored entries: they pass to the affiliate into which theirs was merged. */
export async function moveEntries(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
  await trx('ledger_entries').where({ affiliate_id: from }).update({ affiliate_id: into });
}

/** What these referrals earned, as the counters count it, and how many they are. */
export async function earningsOf(
  db: Db,
  referralIds: readonly number[],
  currency: string,
): Promise<CounterDeltas> {
  const sums = { total: 0, unpaid: 0, referrals: 0 };
  for (const ids of chunks(referralIds, CHUNK)) {
    const own = 'coalesce(currency, ?) = ?';
    const [row] = await db.raw(
      `select sum(case when status in ('paid', 'unpaid') and ${own} then amount_minor else 0 end) as total, ` +
        `sum(case when status = 'unpaid' and ${own} then amount_minor else 0 end) as unpaid, ` +
        "sum(case when type = 'adjustment' then 0 else 1 end) as n " +
        `from ${db.name('referrals')} where id in (${ids.map(() => '?').join(', ')})`,
      [currency, currency, currency, currency, ...ids],
    );
    sums.total += Number(row?.['total'] ?? 0);
    sums.unpaid += Number(row?.['unpaid'] ?? 0);
    sums.referrals += Number(row?.['n'] ?? 0);
  }
  return sums;
}

/** Moves the entries of these referrals, and returns their sum in this currency. */
export async function moveReferralEntries(
  trx: Db,
  { from, into }: AffiliateMerge,
  { referralIds, currency }: { readonly referralIds: readonly number[]; readonly currency: string },
): Promise<{ readonly total: number; readonly unpaid: number }> {
  const sums = { total: 0, unpaid: 0 };
  for (const chunk of chunks(referralIds, CHUNK)) {
    const entries = (): ReturnType<Db> =>
      trx('ledger_entries').where({ affiliate_id: from }).whereIn('referral_id', chunk);
    const row: Row | undefined = await entries()
      .where({ currency })
      .sum({ total: 'total_delta_minor', unpaid: 'unpaid_delta_minor' })
      .first();
    sums.total += Number(row?.['total'] ?? 0);
    sums.unpaid += Number(row?.['unpaid'] ?? 0);
    await entries().update({ affiliate_id: into });
  }
  return sums;
}

export async function insertEntry(db: Db, entry: LedgerEntry): Promise<void> {
  await db.dialect.insertRows(db, 'ledger_entries', [{ ...entry }]);
}

/** A referral went into a payout transaction, or out of it. */
export interface Claim {
  readonly kind: 'claim' | 'release';
  readonly at: number;
  readonly transaction_id: number;
  readonly amount_minor: number;
  readonly actor_id: number | null;
}

/** Affiliates with an id above `after` that have entries after this one. */
export async function affiliatesSince(
  db: Db,
  { entryId, after, limit }: { readonly entryId: number; readonly after: number; readonly limit: number },
): Promise<number[]> {
  const rows: Row[] = await db('ledger_entries')
    .distinct('affiliate_id')
    .where('id', '>', entryId)
    .where('affiliate_id', '>', after)
    .orderBy('affiliate_id')
    .limit(limit);
  return rows.map((row) => Number(row['affiliate_id']));
}

export async function newestEntry(db: Db): Promise<number> {
  const row: Row | undefined = await db('ledger_entries').max({ newest: 'id' }).first();
  return Number(row?.['newest'] ?? 0);
}

export async function claimsOf(db: Db, referralId: number): Promise<Claim[]> {
  const rows: Row[] = await db('ledger_entries')
    .select('kind', 'created_at', 'transaction_id', 'unpaid_delta_minor', 'actor_id')
    .where({ referral_id: referralId })
    .whereIn('kind', ['paid', 'payment_reversed'])
    .orderBy('id');
  return rows.map((row) => ({
    kind: row['kind'] === 'paid' ? 'claim' : 'release',
    at: Number(row['created_at']),
    transaction_id: Number(row['transaction_id']),
    amount_minor: Math.abs(Number(row['unpaid_delta_minor'])),
    actor_id: row['actor_id'] === null ? null : Number(row['actor_id']),
  }));
}

const ENTRY_COLUMNS =
  'affiliate_id, referral_id, payout_id, transaction_id, kind, currency, total_delta_minor, ' +
  'unpaid_delta_minor, actor_id, reason, created_at';

interface Stamp {
  readonly actor: number | null;
  readonly now: number;
}

/** What items of payouts come to, for one affiliate, in the program's currency. */
export interface ItemSum {
  readonly affiliate_id: number;
  readonly amount_minor: number;
}

/** One entry per item of these referrals, of affiliates that still exist. */
export async function copyItems(
  db: Db,
  kind: 'paid' | 'payment_reversed',
  referralIds: readonly number[],
  stamp: Stamp,
): Promise<void> {
  const sign = kind === 'paid' ? '-' : '';
  for (const ids of chunks(referralIds, CHUNK)) {
    await db.execute(
      `insert into ${db.name('ledger_entries')} (${ENTRY_COLUMNS}) ` +
        `select i.affiliate_id, i.referral_id, t.payout_id, t.id, '${kind}', i.currency, 0, ` +
        `${sign}i.amount_minor, ?, null, ? ` +
        `from ${db.name('payout_items')} i join ${db.name('payout_transactions')} t on t.id = i.transaction_id ` +
        `join ${db.name('referrals')} r on r.id = i.referral_id and r.affiliate_id = i.affiliate_id ` +
        `where i.referral_id in (${ids.map(() => '?').join(', ')}) and i.amount_minor <> 0`,
      [stamp.actor, stamp.now, ...ids],
    );
  }
}

/** Sums of the items of these referrals, of each affiliate in the currency it is counted in. */
export async function sumItems(
  db: Db,
  referralIds: readonly number[],
  currency: string,
): Promise<readonly ItemSum[]> {
  const sums = new Map<number, number>();
  for (const ids of chunks(referralIds, CHUNK)) {
    const rows = await db.raw(
      `select i.affiliate_id, sum(i.amount_minor) as total from ${db.name('payout_items')} i ` +
        `join ${db.name('affiliates')} a on a.id = i.affiliate_id ` +
        `where i.referral_id in (${ids.map(() => '?').join(', ')}) and i.currency = coalesce(a.counted_in, ?) ` +
        'group by i.affiliate_id',
      [...ids, currency],
    );
    for (const row of rows) {
      const id = Number(row['affiliate_id']);
      sums.set(id, (sums.get(id) ?? 0) + Number(row['total']));
    }
  }
  return [...sums].map(([affiliate_id, amount_minor]) => ({ affiliate_id, amount_minor }));
}

/** Adds to what these affiliates are owed, or takes from it, in one statement. */
export async function moveUnpaid(db: Db, sign: 1 | -1, sums: readonly ItemSum[]): Promise<void> {
  for (const chunk of chunks(sums, CHUNK)) {
    await db.execute(
      `update ${db.name('affiliates')} set unpaid_earnings_minor = unpaid_earnings_minor + case id ` +
        `${chunk.map((sum) => `when ${int(sum.affiliate_id)} then ${int(sign * sum.amount_minor)}`).join(' ')} ` +
        `else 0 end where id in (${chunk.map((sum) => int(sum.affiliate_id)).join(', ')})`,
    );
  }
}

/** The figures that an affiliate's row holds, and those that its referrals, visits and ledger add up to. */
export interface BookPair {
  readonly stored: EarningFigures;
  readonly counted: EarningFigures;
  readonly ledger: { readonly total: number; readonly unpaid: number };
  /** Null: the program's currency. */
  readonly countedIn: string | null;
}

/**
 * SQL of one row per affiliate with stored and counted figures; bindings: the program currency five times.
 */
function booksSql(db: Db, ids?: string): string {
  const own = 'coalesce(r.currency, ?) = coalesce(o.counted_in, ?)';
  const only = ids === undefined ? '' : ` and o.id in (${ids})`;
  const onlyVisits = ids === undefined ? '' : ` and o.affiliate_id in (${ids})`;
  return (
    'select a.id, a.counted_in, a.total_earnings_minor, a.unpaid_earnings_minor, a.referrals, a.visits, ' +
    'coalesce(r.total, 0) as counted_total, coalesce(r.unpaid, 0) as counted_unpaid, coalesce(r.n, ' +
    '0) as counted_referrals, ' +
    'coalesce(v.n, 0) + a.visits_purged as counted_visits, coalesce(l.total, 0) as ledger_total, ' +
    'coalesce(l.unpaid, 0) as ledger_unpaid ' +
    `from ${db.name('affiliates')} a ` +
    `left join (select r.affiliate_id, sum(case when r.type = 'adjustment' then 0 else 1 end) as n, ` +
    `sum(case when r.status in ('paid', 'unpaid') ` +
    `and ${own} then r.amount_minor else 0 end) as total, ` +
    `sum(case when r.status = 'unpaid' and ${own} then r.amount_minor else 0 end) as unpaid ` +
    `from ${db.name('referrals')} r join ${db.name('affiliates')} o on o.id = r.affiliate_id${only} ` +
    'group by r.affiliate_id) r on r.affiliate_id = a.id ' +
    `left join (select o.affiliate_id, count(*) as n from ${db.name('visits')} o ` +
    `where o.affiliate_id is not null${onlyVisits} group by o.affiliate_id) v on v.affiliate_id = a.id ` +
    'left join (select e.affiliate_id, sum(e.total_delta_minor) as total, sum(e.unpaid_delta_minor) as unpaid ' +
    `from ${db.name('ledger_entries')} e join ${db.name('affiliates')} o on o.id = e.affiliate_id${only} ` +
    'where e.currency = coalesce(o.counted_in, ?) group by e.affiliate_id) l on l.affiliate_id = a.id'
  );
}

const UNBALANCED =
  'a.total_earnings_minor <> coalesce(r.total, 0) or a.unpaid_earnings_minor <> coalesce(r.unpaid, 0) ' +
  'or a.referrals <> coalesce(r.n, 0) or a.visits <> coalesce(v.n, 0) + a.visits_purged ' +
  'or coalesce(l.total, 0) <> a.total_earnings_minor or coalesce(l.unpaid, 0) <> a.unpaid_earnings_minor';

/** Affiliates whose figures disagree, at most `limit`, lowest id first. */
export async function unbalanced(db: Db, currency: string, limit: number): Promise<BookPair[]> {
  const rows = await db.raw(`${booksSql(db)} where ${UNBALANCED} order by a.id limit ${limit}`, [
    currency,
    currency,
    currency,
    currency,
    currency,
  ]);
  return rows.map(toPair);
}

const VISITS_PER_SLICE = 1_000_000;

/** Visits whose mark is wrong about whether a referral names them, at most `limit` of each kind. */
export async function wrongMarks(
  db: Db,
  limit: number,
): Promise<{ readonly detail: string; readonly ids: readonly number[] }[]> {
  const [visits, referrals] = [db.name('visits'), db.name('referrals')];
  const marked: number[] = [];
  const last = Number((await db.raw(`select max(id) as id from ${visits}`))[0]?.['id'] ?? 0);
  for (let from = 0; from <= last && marked.length < limit; from += VISITS_PER_SLICE) {
    const rows = await db.raw(
      `select v.id from ${visits} v where v.id >= ? and v.id < ? and v.converted = 1 and not exists ` +
        `(select 1 from ${referrals} r where r.visit_id = v.id) limit ${limit - marked.length}`,
      [from, from + VISITS_PER_SLICE],
    );
    marked.push(...idsOf(rows));
  }
  const named = await db.raw(
    `select distinct v.id from ${referrals} r join ${visits} v on v.id = r.visit_id where v.converted = 0 limit ${limit}`,
  );
  return [
    { detail: 'The visit is marked as converted, but no referral names it.', ids: marked },
    { detail: 'A referral names the visit, but it is not marked as converted.', ids: idsOf(named) },
  ];
}

const idsOf = (rows: readonly Row[]): number[] => rows.map((row) => Number(row['id']));

/** Ids of wrongly marked visits and their affiliates, at most `limit` of each kind. */
export async function findWrongMarks(
  db: Db,
  limit: number,
): Promise<{ id: number; affiliate_id: number | null }[]> {
  const ids = (await wrongMarks(db, limit)).flatMap((wrong) => wrong.ids);
  const rows: Row[] = await db('visits').select('id', 'affiliate_id').whereIn('id', ids).orderBy('id');
  return rows.map((row) => ({
    id: Number(row['id']),
    affiliate_id: row['affiliate_id'] === null ? null : Number(row['affiliate_id']),
  }));
}

/** Marks these visits by their referrals. */
export async function writeMarks(db: Db, ids: readonly number[]): Promise<void> {
  const [visits, referrals] = [db.name('visits'), db.name('referrals')];
  await db.execute(
    `update ${visits} set converted = case when exists (select 1 from ${referrals} r ` +
      `where r.visit_id = ${visits}.id) then 1 else 0 end ` +
      `where id in (${ids.map(() => '?').join(', ')})`,
    ids,
  );
}

/** The figures of these affiliates, to be read under their row locks. */
export async function booksOf(db: Db, currency: string, ids: readonly number[]): Promise<BookPair[]> {
  const marks = ids.map(() => '?').join(', ');
  const rows = await db.raw(`${booksSql(db, marks)} where a.id in (${marks}) order by a.id`, [
    currency,
    currency,
    currency,
    currency,
    ...ids,
    ...ids,
    ...ids,
    currency,
    ...ids,
  ]);
  return rows.map(toPair);
}

export async function writeBooks(db: Db, books: EarningFigures): Promise<void> {
  const { affiliate_id, ...figures } = books;
  await db('affiliates').where({ id: affiliate_id }).update(figures);
}

function toPair(row: Row): BookPair {
  const id = Number(row.id);
  return {
    stored: books(id, row.total_earnings_minor, row.unpaid_earnings_minor, row.referrals, row.visits),
    counted: books(id, row.counted_total, row.counted_unpaid, row.counted_referrals, row.counted_visits),
    ledger: { total: Number(row.ledger_total), unpaid: Number(row.ledger_unpaid) },
    countedIn: (row['counted_in'] as string | null) ?? null,
  };
}

const books = (id: number, ...figures: readonly unknown[]): EarningFigures => {
  const [total = 0, unpaid = 0, referrals = 0, visits = 0] = figures.map(Number);
  return {
    affiliate_id: id,
    total_earnings_minor: total,
    unpaid_earnings_minor: unpaid,
    referrals,
    visits,
  };
};
