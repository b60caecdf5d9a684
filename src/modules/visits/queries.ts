import type { Knex } from 'knex';
import { shorterWay, type Window } from '../../core/page.js';
import type { Db, Row } from '../../database/db.js';
import { COLUMNS, findVisits, fromRow } from './repository.js';
import type { Visit, VisitFilter, VisitOrder } from './types.js';

const TEXT_COLUMNS = ['url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source'];
const SEARCH_TEXT = new Set([...TEXT_COLUMNS, 'ip']);
const NULLABLE = new Set([...TEXT_COLUMNS, 'affiliate_id']);
const SEARCH_NUMBER = new Set(['affiliate_id', 'referral_id', 'user_id']);
/** `column:text` and `column=text` (conventions §4); `id` only in the first form. */
const COLUMN_SEARCH = /^([a-z_]+)\s*([:=])(.*)$/su;

export async function countVisits(db: Db, filter: VisitFilter): Promise<number> {
  const row: Row | undefined = await filtered(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** Ids first: a deep page then walks an index and not whole rows. `total` tells from which end it is nearer. */
export async function listVisits(db: Db, filter: VisitFilter, order: VisitOrder, window: Window & { readonly total: number }): Promise<Visit[]> {
  const { limit, offset, backwards } = shorterWay(window, window.total);
  const ids: Row[] = await ordered(db, filtered(db, filter), order, backwards).select({ id: column(db, 'id') }).limit(limit).offset(offset);
  const places = new Map(ids.map((row, place) => [Number(row['id']), backwards ? -place : place]));
  const visits = await findVisits(db, [...places.keys()]);
  return visits.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}

// Where nulls go differs between databases; knex's own `nulls last` drops the column on two of them.
function ordered(db: Db, query: Knex.QueryBuilder, order: VisitOrder, backwards: boolean): Knex.QueryBuilder {
  const direction = (order.direction === 'asc') === backwards ? 'desc' : 'asc';
  if (NULLABLE.has(order.column)) query.orderByRaw(`(?? is null) ${backwards ? 'desc' : 'asc'}`, [column(db, order.column)]);
  if (order.column !== 'id') query.orderBy(column(db, order.column), direction);
  return query.orderBy(column(db, 'id'), direction);
}

/** The next rows of an export, by key: no cursor stays open between pages. */
export async function nextVisits(db: Db, filter: VisitFilter, direction: 'asc' | 'desc', page: { after: number | null; limit: number }): Promise<Visit[]> {
  const query = filtered(db, filter).select(prefixed(db)).orderBy(column(db, 'id'), direction).limit(page.limit);
  if (page.after !== null) query.where(column(db, 'id'), direction === 'asc' ? '>' : '<', page.after);
  const rows: Row[] = await query;
  return rows.map(fromRow);
}

/** Those of these visits that have a referral, whatever its status (visits §1). */
export async function convertedAmong(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('referrals').distinct('visit_id').whereIn('visit_id', ids);
  return new Set(rows.map((row) => Number(row['visit_id'])));
}

const column = (db: Db, name: string): string => `${db.name('visits')}.${name}`;
const prefixed = (db: Db): string[] => COLUMNS.map((name) => column(db, name));

function filtered(db: Db, filter: VisitFilter): Knex.QueryBuilder {
  const query = db('visits');
  if (filter.affiliateId !== undefined) query.where(column(db, 'affiliate_id'), filter.affiliateId);
  if (filter.converted !== null) {
    const referral = db('referrals').select('id').whereRaw('?? = ??', ['visit_id', column(db, 'id')]);
    if (filter.converted === 'converted') query.whereExists(referral);
    else query.whereNotExists(referral);
  }
  if (filter.search !== '') search(db, query, filter);
  return query;
}

function search(db: Db, query: Knex.QueryBuilder, { search: text, userIds }: VisitFilter): void {
  const [, name = '', operator, value = ''] = COLUMN_SEARCH.exec(text) ?? [];
  if (SEARCH_TEXT.has(name) || SEARCH_NUMBER.has(name) || (name === 'id' && operator === ':')) {
    searchColumn(db, query, { name, contains: operator === ':', value: value.trim() });
    return;
  }
  query.where((any) => {
    db.dialect.contains(any, TEXT_COLUMNS.map((each) => column(db, each)), text);
    if (userIds.length > 0) any.orWhereIn(column(db, 'affiliate_id'), db('affiliates').select('id').whereIn('user_id', [...userIds]));
  });
}

function searchColumn(db: Db, query: Knex.QueryBuilder, part: { name: string; contains: boolean; value: string }): void {
  const name = column(db, part.name);
  if (SEARCH_TEXT.has(part.name)) {
    if (part.contains) query.where((any) => { db.dialect.contains(any, [name], part.value); });
    else query.where(name, part.value);
    return;
  }
  // A number column never holds other characters, and such a value must not reach a numeric comparison.
  if (!/^\d{1,15}$/.test(part.value)) query.whereRaw('1 = 0');
  else if (part.contains) query.whereRaw(`${db.dialect.asText(name)} like ?`, [`%${part.value}%`]);
  else query.where(name, Number(part.value));
}
