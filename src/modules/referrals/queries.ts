import type { Knex } from 'knex';
import { currencies, currencyDigits, parseAmount } from '../../core/money.js';
import { readDecimal } from '../../core/decimal.js';
import { shorterWay, type Window } from '../../core/page.js';
import type { Db, Row } from '../../database/db.js';
import { COLUMNS, findReferrals, fromRow } from './repository.js';
import type { Referral, ReferralFilter, ReferralOrder } from './types.js';

const TEXT_COLUMNS = new Set(['description', 'currency', 'utm_campaign', 'provider', 'provider_id', 'provider_sub_id', 'type', 'status']);
const NUMBER_COLUMNS = new Set(['id', 'affiliate_id', 'parent_id', 'customer_id', 'visit_id', 'payout_id']);
const MONEY_COLUMNS: ReadonlyMap<string, string> = new Map([['amount', 'amount_minor'], ['order_total', 'order_total_minor']]);
const NULLABLE = new Set(['order_total_minor', 'provider', 'provider_id', 'affiliate_id']);
/** `column:text` contains, `column=text` equals (conventions §4). */
const COLUMN_SEARCH = /^([a-z_]+)\s*([:=])(.*)$/su;
const SORTABLE: ReadonlyMap<string, string> = new Map([
  ...['id', 'created_at', 'updated_at', 'status', 'type', 'provider', 'provider_id', 'affiliate_id'].map((name) => [name, name] as const),
  ...MONEY_COLUMNS,
]);

/** The stored column behind a wire name, or the fallback. */
export const sortColumn = (name: string, fallback: string): string => SORTABLE.get(name) ?? fallback;

export async function countReferrals(db: Db, filter: ReferralFilter): Promise<number> {
  const row: Row | undefined = await filtered(db, filter).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

/** Ids first: a deep page then walks an index and not whole rows. `total` tells from which end it is nearer. */
export async function listReferrals(db: Db, filter: ReferralFilter, order: ReferralOrder, window: Window & { readonly total: number }): Promise<Referral[]> {
  const { limit, offset, backwards } = shorterWay(window, window.total);
  const ids: Row[] = await ordered(filtered(db, filter), order, backwards).select('id').limit(limit).offset(offset);
  const places = new Map(ids.map((row, place) => [Number(row.id), backwards ? -place : place]));
  const referrals = await findReferrals(db, [...places.keys()]);
  return referrals.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}

/** The next rows of an export, by key: no cursor stays open between pages. */
export async function nextReferrals(db: Db, filter: ReferralFilter, order: ReferralOrder, page: { after: Referral | null; limit: number }): Promise<Referral[]> {
  const query = ordered(filtered(db, filter), order).select(COLUMNS).limit(page.limit);
  if (page.after !== null) seek(query, order, page.after);
  const rows: Row[] = await query;
  return rows.map(fromRow);
}

export async function affiliateIdsOfPayout(db: Db, payoutId: number): Promise<number[]> {
  const rows: Row[] = await db('referrals').distinct('affiliate_id').where({ payout_id: payoutId }).whereNotNull('affiliate_id').orderBy('affiliate_id');
  return rows.map((row) => Number(row.affiliate_id));
}

// Nulls come last in both directions, on all databases; backwards they come first.
function ordered(query: Knex.QueryBuilder, order: ReferralOrder, backwards = false): Knex.QueryBuilder {
  const direction = (order.direction === 'asc') === backwards ? 'desc' : 'asc';
  if (NULLABLE.has(order.column)) query.orderByRaw(`case when ?? is null then 1 else 0 end ${backwards ? 'desc' : 'asc'}`, [order.column]);
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
      any.where(column, beyond, value).orWhere((same) => { same.where(column, value).where('id', beyond, last.id); });
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
  if (column !== undefined) query.where((any) => { moneyMatches(db, any, { column, value, operator, currency: filter.currency }); });
  else if (TEXT_COLUMNS.has(name)) {
    if (operator === '=') query.where(name, value);
    else query.where((any) => { db.dialect.contains(any, [name], value); });
  } else if (NUMBER_COLUMNS.has(name)) query.where((any) => { numberMatches(db, any, name, value, operator); });
  else {
    query.where((any) => {
      db.dialect.contains(any, ['description', 'utm_campaign', 'provider'], filter.search);
      any.orWhere((id) => { numberMatches(db, id, 'id', filter.search, ':'); });
      any.orWhere((sum) => { moneyMatches(db, sum, { column: 'amount_minor', value: filter.search, operator: ':', currency: filter.currency }); });
    });
  }
}

// A number column never holds other characters, and such a value must not reach a numeric comparison.
function numberMatches(db: Db, query: Knex.QueryBuilder, column: string, value: string, operator: string): void {
  if (!/^\d{1,15}$/u.test(value)) query.whereRaw('1 = 0');
  else if (operator === ':') query.whereRaw(`${db.dialect.asText(column)} like ?`, [`%${value}%`]);
  else query.where(column, Number(value));
}

interface MoneySearch { readonly column: string; readonly value: string; readonly operator: string; readonly currency: string }

/** Amounts are stored in minor units, so each number of decimals is compared in its own way. */
function moneyMatches(db: Db, query: Knex.QueryBuilder, search: MoneySearch): void {
  const groups = byDigits();
  const special = [...groups].flatMap(([digits, codes]) => (digits === 2 ? [] : codes));
  query.whereRaw('1 = 0');
  for (const [digits, codes] of groups) {
    query.orWhere((rows) => {
      const known = digits === 2 ? special : codes;
      const marks = known.map(() => '?').join(', ');
      rows.whereRaw(`coalesce(currency, ?) ${digits === 2 ? 'not in' : 'in'} (${marks})`, [search.currency, ...known]);
      if (search.operator === '=') equals(rows, search, codes[0] ?? 'USD');
      else containsDigits(db, rows, search, digits);
    });
  }
}

function equals(query: Knex.QueryBuilder, { column, value }: MoneySearch, currency: string): void {
  const amount = readDecimal(value) === null ? null : parseAmount(value, currency);
  if (amount === null) query.whereRaw('1 = 0');
  else query.where(column, amount);
}

// "12.5" is found in 12.50 and 112.53: whole part ends with 12, decimals start with 5.
function containsDigits(db: Db, query: Knex.QueryBuilder, { column, value }: MoneySearch, digits: number): void {
  const [, whole, fraction] = /^(\d{0,13})(?:\.(\d*))?$/u.exec(value) ?? [];
  const unit = 10 ** digits;
  const units = db.dialect.slot(column, unit);
  if (whole === undefined || value === '.' || (fraction !== undefined && fraction.length > digits)) query.whereRaw('1 = 0');
  else if (fraction === undefined) {
    const decimals = db.dialect.slot(column, 1);
    query.where((any) => {
      any.whereRaw(`${db.dialect.asText(units)} like ?`, [`%${whole}%`]);
      if (digits > 0 && whole.length <= digits) any.orWhereRaw(`${db.dialect.asText(`(${decimals} - ${units} * ${unit} + ${unit})`)} like ?`, [`_%${whole}%`]);
    });
  } else {
    const rest = 10 ** (digits - fraction.length);
    query.whereRaw(`(${units}) % ${10 ** whole.length} = ?`, [Number(whole)]);
    if (fraction !== '') query.whereRaw(`${db.dialect.slot(`(${column} - ${units} * ${unit})`, rest)} = ?`, [Number(fraction)]);
  }
}

function byDigits(): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const { code } of currencies()) groups.set(currencyDigits(code), [...(groups.get(currencyDigits(code)) ?? []), code]);
  return groups;
}
