import type { Knex } from 'knex';
import { amountSearch, type AmountSearch } from '../../core/amount-search.js';
import { shorterWay, type Window } from '../../core/page.js';
import type { Db, Row } from '../../database/db.js';
import type { ListOrder, LongList } from '../../database/long-list.js';
import { COLUMNS, findReferrals, fromRow } from './repository.js';
import {
  HIDDEN_STATUSES,
  STATUSES,
  type Referral,
  type ReferralFilter,
  type ReferralOrder,
  type ReferralStatus,
} from './types.js';

const TEXT_COLUMNS = new Set([
  'description',
  'currency',
  'utm_campaign',
  'provider',
  'provider_id',
  'provider_sub_id',
  'type',
  'status',
]);
const NUMBER_COLUMNS = new Set(['affiliate_id', 'parent_id', 'customer_id', 'visit_id', 'payout_id']);
const MONEY_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['amount', 'amount_minor'],
  ['order_total', 'order_total_minor'],
]);
const NULLABLE = new Set(['order_total_minor', 'provider', 'provider_id', 'affiliate_id']);
/** What a row keeps for ever. */
const FIXED = new Set(['id', 'created_at', 'provider', 'provider_id', 'affiliate_id']);
/** `column:text` contains, `column=text` equals (conventions §4); `id` only in the first form. */
const COLUMN_SEARCH = /^([a-z_]+)\s*([:=])(.*)$/su;
const SORTABLE: ReadonlyMap<string, string> = new Map([
  ...['id', 'created_at', 'updated_at', 'status', 'type', 'provider', 'provider_id', 'affiliate_id'].map(
    (name) => [name, name] as const,
  ),
  ...MONEY_COLUMNS,
]);

/** The stored column behind a wire name, or the fallback. */
export const sortColumn = (name: string, fallback: string): string => SORTABLE.get(name) ?? fallback;

export async function countReferrals(db: Db, filter: ReferralFilter): Promise<number> {
  if (filter.status !== null && filter.search === '' && filter.payoutId === undefined)
    return countStatus(db, filter.status, filter.affiliateId);
  const row: Row | undefined = await filtered(db, filter).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

/** From the stored totals, which have a column for each status. */
async function countStatus(db: Db, status: ReferralStatus, affiliateId: number | undefined): Promise<number> {
  const query = db('referral_totals').sum({ n: status }).first();
  const row = (await (affiliateId === undefined ? query : query.where({ affiliate_id: affiliateId }))) as
    Row | undefined;
  return Number(row?.['n'] ?? 0);
}

/** Those of one status, which rows come into and go from. */
export const statusListOf = (db: Db, status: ReferralStatus): LongList => ({
  name: `referrals ${status}`,
  table: 'referrals',
  where: { status },
  moved: movesOf(db),
  total: { text: `coalesce((select sum(${status}) from ${db.name('referral_totals')}), 0)`, bindings: [] },
});

const movesOf = (db: Db): string =>
  `(select coalesce(sum(referral_changes), 0) from ${db.name('affiliates')})`;

/** Every referral, or those of one affiliate: the counters of the affiliates tell how many there are (reliability I3). */
export function longListOf(db: Db, { column }: ReferralOrder, affiliateId: number | undefined): LongList {
  const [affiliates, referrals] = [db.name('affiliates'), db.name('referrals')];
  if (affiliateId !== undefined) {
    return {
      name: `referrals of ${affiliateId}`,
      table: 'referrals',
      where: { affiliate_id: affiliateId },
      total: {
        text: `coalesce((select referrals from ${affiliates} where id = ?), 0)`,
        bindings: [affiliateId],
      },
    };
  }
  return {
    table: 'referrals',
    where: {},
    ...(FIXED.has(column)
      ? { name: 'referrals' }
      : { name: 'referrals by what changes', moved: movesOf(db) }),
    total: {
      text: `(select coalesce(sum(referrals), 0) from ${affiliates}) + (select count(*) from ${referrals} where affiliate_id is null)`,
      bindings: [],
    },
  };
}

/** What an affiliate sees of its own referrals. */
export function shownListOf(db: Db, affiliateId: number): LongList {
  return {
    name: `referrals shown to ${affiliateId}`,
    table: 'referrals',
    where: { affiliate_id: affiliateId },
    except: { column: 'status', values: HIDDEN_STATUSES },
    total: {
      text: `coalesce((select sum(${STATUSES.filter((status) => !(HIDDEN_STATUSES as readonly string[]).includes(status)).join(' + ')}) from ${db.name('referral_totals')} where affiliate_id = ?), 0)`,
      bindings: [affiliateId],
    },
  };
}

/** As the long lists understand it. Every order of the whole list has an index, among one affiliate's referrals or those of a status only some. */
export const listOrder = (
  { column, direction }: ReferralOrder,
  { affiliateId, status }: Pick<ReferralFilter, 'affiliateId' | 'status'>,
): ListOrder => ({
  column,
  direction,
  nullable: NULLABLE.has(column),
  indexed: column === 'id' || (affiliateId === undefined && (status === null || column === 'created_at')),
});

/** The ids of a page of a filtered list; `total` tells from which end it is nearer. */
export async function pageIds(
  db: Db,
  filter: ReferralFilter,
  order: ReferralOrder,
  window: Window & { readonly total: number },
): Promise<number[]> {
  const { limit, offset, backwards } = shorterWay(window, window.total);
  const rows: Row[] = await ordered(filtered(db, filter), order, backwards)
    .select('id')
    .limit(limit)
    .offset(offset);
  const ids = rows.map((row) => Number(row.id));
  return backwards ? ids.toReversed() : ids;
}

/** Whole rows in the order of their ids' list. */
export async function referralsInOrder(db: Db, ids: readonly number[]): Promise<Referral[]> {
  const referrals = new Map((await findReferrals(db, ids)).map((referral) => [referral.id, referral]));
  return ids.flatMap((id) => referrals.get(id) ?? []);
}

/** The next rows of an export, by key: no cursor stays open between pages. */
export async function nextReferrals(
  db: Db,
  filter: ReferralFilter,
  order: ReferralOrder,
  page: { after: Referral | null; limit: number },
): Promise<Referral[]> {
  const query = ordered(filtered(db, filter), order).select(COLUMNS).limit(page.limit);
  if (page.after !== null) seek(query, order, page.after);
  const rows: Row[] = await query;
  return rows.map(fromRow);
}

export async function affiliateIdsOfPayout(db: Db, payoutId: number): Promise<number[]> {
  const rows: Row[] = await db('referrals')
    .distinct('affiliate_id')
    .where({ payout_id: payoutId })
    .whereNotNull('affiliate_id')
    .orderBy('affiliate_id');
  return rows.map((row) => Number(row.affiliate_id));
}

// Nulls come last in both directions, on all databases; backwards they come first.
function ordered(query: Knex.QueryBuilder, order: ReferralOrder, backwards = false): Knex.QueryBuilder {
  const direction = (order.direction === 'asc') === backwards ? 'desc' : 'asc';
  if (NULLABLE.has(order.column))
    query.orderByRaw(`case when ?? is null then 1 else 0 end ${backwards ? 'desc' : 'asc'}`, [order.column]);
  if (order.column !== 'id') query.orderBy(order.column, direction);
  return query.orderBy('id', direction);
}

function seek(query: Knex.QueryBuilder, { column, direction }: ReferralOrder, last: Referral): void {
  const beyond = direction === 'asc' ? '>' : '<';
  const value = last[column as keyof Referral] as string | number | null;
  if (column === 'id') query.where('id', beyond, last.id);
  else if (value === null) query.whereNull(column).where('id', beyond, last.id);
  else {
    query.where((any) => {
      any.where(column, beyond, value).orWhere((same) => {
        same.where(column, value).where('id', beyond, last.id);
      });
      if (NULLABLE.has(column)) any.orWhereNull(column);
    });
  }
}

function filtered(db: Db, filter: ReferralFilter): Knex.QueryBuilder {
  const query = db('referrals');
  if (filter.affiliateId !== undefined) query.where('affiliate_id', filter.affiliateId);
  if (filter.payoutId !== undefined) query.where('payout_id', filter.payoutId);
  if (filter.status !== null) query.where('status', filter.status);
  if (filter.search !== '') search(db, query, filter);
  return query;
}

function search(db: Db, query: Knex.QueryBuilder, filter: ReferralFilter): void {
  const [, name = '', operator = '', raw = ''] = COLUMN_SEARCH.exec(filter.search) ?? [];
  const column = MONEY_COLUMNS.get(name);
  const value = raw.trim();
  if (column !== undefined)
    query.where((any) => {
      moneyMatches(db, any, {
        column,
        value,
        operator: operator === '=' ? '=' : ':',
        currency: filter.currency,
      });
    });
  else if (TEXT_COLUMNS.has(name)) {
    if (operator === '=') query.where(name, value);
    else
      query.where((any) => {
        db.dialect.contains(any, [name], value);
      });
  } else if (NUMBER_COLUMNS.has(name) || (name === 'id' && operator === ':'))
    query.where((any) => {
      numberMatches(db, any, name, value, operator);
    });
  else {
    query.where((any) => {
      db.dialect.contains(any, ['description', 'utm_campaign', 'provider'], filter.search);
      any.orWhere((id) => {
        numberMatches(db, id, 'id', filter.search, ':');
      });
      any.orWhere((sum) => {
        moneyMatches(db, sum, {
          column: 'amount_minor',
          value: filter.search,
          operator: ':',
          currency: filter.currency,
        });
      });
    });
  }
}

function moneyMatches(db: Db, query: Knex.QueryBuilder, wanted: AmountSearch): void {
  const part = amountSearch(db.dialect, wanted);
  query.whereRaw(part?.text ?? '1 = 0', [...(part?.bindings ?? [])]);
}

// A number column never holds other characters, and such a value must not reach a numeric comparison.
function numberMatches(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  value: string,
  operator: string,
): void {
  if (!/^\d{1,15}$/u.test(value)) query.whereRaw('1 = 0');
  else if (operator === ':') query.whereRaw(`${db.dialect.asText(column)} like ?`, [`%${value}%`]);
  else query.where(column, Number(value));
}

/** Commissions still pending that were recorded before this instant. */
export async function staleSummary(
  db: Db,
  before: number,
): Promise<{ count: number; oldest: number | null }> {
  const row: Row | undefined = await db('referrals')
    .where({ status: 'pending' })
    .where('created_at', '<', before)
    .count({ n: '*' })
    .min({ oldest: 'created_at' })
    .first();
  const oldest = row?.['oldest'];
  return {
    count: Number(row?.['n'] ?? 0),
    oldest: oldest === null || oldest === undefined ? null : Number(oldest),
  };
}

/** The oldest first. */
export async function listStale(
  db: Db,
  before: number,
  window: { limit: number; offset: number },
): Promise<Referral[]> {
  const rows: Row[] = await db('referrals')
    .select(COLUMNS)
    .where({ status: 'pending' })
    .where('created_at', '<', before)
    .orderBy(['created_at', 'id'])
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}
