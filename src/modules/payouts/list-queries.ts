import type { Knex } from 'knex';
import { amountSearch, type AmountSearch } from '../../core/amount-search.js';
import type { siteOffsets } from '../../core/dates.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Db, Row } from '../../database/db.js';

type Kind = 'text' | 'id' | 'amount' | 'time';

/** Paging and order as a list route reads them. */
export interface Window {
  readonly page: number;
  readonly per_page: number;
  readonly order_by: string;
  readonly order_type: 'ASC' | 'DESC';
}

/** What a list of this module can be searched and sorted by. Names are the wire's; columns are ours. */
export interface ListSpec {
  readonly table: 'payouts' | 'payout_transactions';
  readonly columns: readonly string[];
  /** An ordinary search looks into these. */
  readonly anywhere: Readonly<Record<string, Kind>>;
  /** `column:text` and `column=text`. */
  readonly searchable: Readonly<Record<string, Kind>>;
  readonly sortable: readonly string[];
}

export interface ListFilter {
  readonly equals: Readonly<Record<string, number | string>>;
  readonly search: string;
  readonly currency: string;
  /** The offsets of the site's clock over the rows' times, where a search looks into them. */
  readonly offsets: ReturnType<typeof siteOffsets>;
}

export interface Keyset {
  readonly value: string | number;
  readonly id: number;
}

const COLUMN_SEARCH = /^([a-z_]+)\s*([:=])(.*)$/su;
const column = (name: string): string => (name === 'total_amount' ? 'total_amount_minor' : name);

export async function countRows(db: Db, spec: ListSpec, filter: ListFilter): Promise<number> {
  const row: Row | undefined = await filtered(db, spec, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

export async function pageOfRows(
  db: Db,
  spec: ListSpec,
  filter: ListFilter,
  query: Window,
): Promise<Page<Row>> {
  const total = await countRows(db, spec, filter);
  const offset = offsetOf(query);
  const { order, direction } = orderOf(spec, query);
  const rows: Row[] =
    offset >= total
      ? []
      : await ordered(filtered(db, spec, filter).select(spec.columns), order, direction)
          .limit(query.per_page)
          .offset(offset);
  return { rows, total, page: query.page, per_page: query.per_page };
}

/** The next rows of an export by key: nothing stays open between two pages. */
export async function rowsAfter(
  db: Db,
  spec: ListSpec,
  filter: ListFilter,
  page: { query: Window; after: Row | null; limit: number },
): Promise<Row[]> {
  const { order, direction } = orderOf(spec, page.query);
  const query = ordered(filtered(db, spec, filter).select(spec.columns), order, direction).limit(page.limit);
  if (page.after !== null)
    beyond(
      query,
      order,
      { value: keyOf(page.after[order]), id: Number(page.after['id']) },
      direction === 'asc' ? '>' : '<',
    );
  return (await query) as Row[];
}

const keyOf = (value: unknown): string | number =>
  typeof value === 'string' || typeof value === 'number' ? value : 0;

function beyond(query: Knex.QueryBuilder, order: string, key: Keyset, sign: '>' | '<'): void {
  if (order === 'id') query.where('id', sign, key.id);
  else
    query.where((next) => {
      next.whereRaw(`${sortKey(order)} ${sign} ?`, [key.value]).orWhere((same) => {
        same.whereRaw(`${sortKey(order)} = ?`, [key.value]).where('id', sign, key.id);
      });
    });
}

// The affiliate of an imported transaction may be unknown; nulls would sort differently on each database.
const sortKey = (order: string): string => (order === 'affiliate_id' ? 'coalesce(affiliate_id, 0)' : order);

function orderOf(spec: ListSpec, query: Window): { order: string; direction: 'asc' | 'desc' } {
  return {
    order: column(spec.sortable.includes(query.order_by) ? query.order_by : 'id'),
    direction: query.order_type === 'ASC' ? 'asc' : 'desc',
  };
}

function ordered(query: Knex.QueryBuilder, order: string, direction: 'asc' | 'desc'): Knex.QueryBuilder {
  if (order !== 'id') query.orderByRaw(`${sortKey(order)} ${direction}`);
  return query.orderBy('id', direction);
}

function filtered(db: Db, spec: ListSpec, filter: ListFilter): Knex.QueryBuilder {
  const query = db(spec.table).where(filter.equals);
  if (filter.search === '') return query;
  const [, name = '', operator, value = ''] = COLUMN_SEARCH.exec(filter.search) ?? [];
  const kind = name === 'id' && operator === ':' ? 'id' : spec.searchable[name];
  return query.where((any) => {
    any.whereRaw('1 = 0');
    if (kind === undefined) {
      for (const [each, eachKind] of Object.entries(spec.anywhere))
        contains(db, any, { name: each, kind: eachKind, text: filter.search }, filter);
    } else if (operator === ':') contains(db, any, { name, kind, text: value.trim() }, filter);
    else equals(db, any, { name, kind, text: value.trim() }, filter);
  });
}

interface Term {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
}

/** Adds `or column contains text`; a number column is looked into only for digits. */
function contains(db: Db, any: Knex.QueryBuilder, { name, kind, text }: Term, filter: ListFilter): void {
  if (kind === 'text')
    any.orWhere((one) => {
      db.dialect.contains(one, [name], text);
    });
  if (kind === 'id' && /^\d{1,15}$/u.test(text))
    any.orWhereRaw(`${db.dialect.asText(name)} like ?`, [`%${text}%`]);
  if (kind === 'amount')
    amountMatches(db, any, { column: column(name), value: text, operator: ':', currency: filter.currency });
  if (kind === 'time') {
    if (filter.offsets.length > 0 && isTimeText(text))
      any.orWhereRaw(`${db.dialect.timeText(siteTime(name, filter.offsets))} like ?`, [`%${text}%`]);
  }
}

function equals(db: Db, any: Knex.QueryBuilder, { name, kind, text }: Term, filter: ListFilter): void {
  if (kind === 'text') any.orWhere(name, text);
  if (kind === 'id' && /^\d{1,15}$/u.test(text)) any.orWhere(name, Number(text));
  if (kind === 'amount')
    amountMatches(db, any, { column: column(name), value: text, operator: '=', currency: filter.currency });
}

function amountMatches(db: Db, any: Knex.QueryBuilder, wanted: AmountSearch): void {
  const part = amountSearch(db.dialect, wanted);
  if (part !== null) any.orWhereRaw(part.text, [...part.bindings]);
}

/** Any part of a day and time as it stands in exports, on the site's clock: `2026-01`, `01-15`, `14:30`. */
export const isTimeText = (text: string): boolean => /^[\d :-]{1,19}$/u.test(text) && /\d/u.test(text);

/** The wall clock of the site in milliseconds, as SQL text. */
function siteTime(column: string, offsets: ListFilter['offsets']): string {
  const [only] = offsets;
  if (offsets.length === 1 && only !== undefined) return `${column} + ${only.offset}`;
  const periods = offsets.filter(({ until }) => Number.isFinite(until));
  const last = offsets.at(-1)?.offset ?? 0;
  const cases = periods.map(({ until, offset }) => `when ${column} < ${until} then ${offset}`).join(' ');
  return `${column} + case ${cases} else ${last} end`;
}

/** From the first row to the last; null without rows. */
export async function timesOf(
  db: Db,
  table: ListSpec['table'],
  equals: ListFilter['equals'],
): Promise<{ readonly from: number; readonly to: number } | null> {
  const row: Row | undefined = await db(table)
    .where(equals)
    .min({ from: 'created_at' })
    .max({ to: 'created_at' })
    .first();
  return row && row['from'] !== null ? { from: Number(row['from']), to: Number(row['to']) } : null;
}
