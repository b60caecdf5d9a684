import type { Knex } from 'knex';
import { offsetOf, type Page } from '../core/page.js';
import type { Db, Row } from '../platform/database/db.js';
import type { TableName } from '../platform/database/tables.js';

export type Query = Knex.QueryBuilder;

/** A list over a table: its rows and the columns they can be sorted by. */
export interface ListSpec<T> {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly fromRow: (row: Row) => T;
  /** By names of the interface. A request with an unknown name is sorted by the default. */
  readonly sort: Readonly<Record<string, SortKey>>;
}

export interface SortKey {
  /** A column, or SQL over the columns of the row. */
  readonly by: string;
  /** True when the value may be empty; empty values come last in both directions. */
  readonly nullable?: boolean;
}

export interface Order extends SortKey {
  readonly direction: 'asc' | 'desc';
}

/** By id. */
export const NEWEST_FIRST: Order = { by: 'id', direction: 'desc' };

/** Adds the conditions of a list to a query. */
export type Matching = (query: Query) => void;

const CHUNK = 1000;
const EXPORT_PAGE = 1000;

/** The order of a request. An unknown name is not an error; the default is used. */
export function orderOf(
  { sort }: Pick<ListSpec<unknown>, 'sort'>,
  query: { readonly order_by?: string; readonly order_type?: string },
  fallback = 'id',
): Order {
  const name = query.order_by ?? '';
  const key = (Object.hasOwn(sort, name) ? sort[name] : sort[fallback]) ?? { by: 'id' };
  return { ...key, direction: query.order_type === 'ASC' ? 'asc' : 'desc' };
}

/** A page and the number of rows on all pages. */
export async function readPage<T>(
  db: Db,
  list: ListSpec<T>,
  matching: Matching,
  query: { readonly page: number; readonly per_page: number; readonly order: Order },
): Promise<Page<T>> {
  const total = await countRows(db, list, matching);
  const window = { limit: query.per_page, offset: offsetOf(query) };
  const ids = window.offset >= total ? [] : await readIds(db, list, matching, { ...window, ...query });
  return { rows: await rowsInOrder(db, list, ids), total, page: query.page, per_page: query.per_page };
}

export async function countRows(
  db: Db,
  { table }: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
): Promise<number> {
  const query = db(table);
  matching(query);
  const row = (await query.count({ n: '*' }).first()) as Row | undefined;
  return Number(row?.['n'] ?? 0);
}

/** The ids of a page. When an index holds conditions and order, no row is read for the pages before it. */
export async function readIds(
  db: Db,
  { table }: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
  window: { readonly limit: number; readonly offset: number; readonly order: Order },
): Promise<number[]> {
  const query = db(table).select('id').limit(window.limit).offset(window.offset);
  matching(query);
  const rows = (await sorted(db, query, window.order)) as Row[];
  return rows.map((row) => Number(row['id']));
}

/** Whole rows in the order of their ids. */
export async function rowsInOrder<T>(db: Db, list: ListSpec<T>, ids: readonly number[]): Promise<T[]> {
  const rows = new Map<number, T>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const found: Row[] = await db(list.table)
      .select(list.columns)
      .whereIn('id', ids.slice(at, at + CHUNK));
    for (const row of found) rows.set(Number(row['id']), list.fromRow(row));
  }
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/**
 * Reads all rows in pages by key. A row that does not change in the meantime comes exactly once, and no
 * cursor stays open between two pages. The next page is read while the caller uses the current one.
 */
export async function* readAll<T>(
  db: Db,
  list: ListSpec<T>,
  matching: Matching,
  order: Order,
  size = EXPORT_PAGE,
): AsyncGenerator<T[]> {
  const read = async (after: Row | null): Promise<Row[]> => {
    const query = db(list.table).select(list.columns).limit(size);
    if (order.by !== 'id') query.select({ sort_key: db.knex.raw(order.by) });
    matching(query);
    if (after !== null) behind(query, order, after);
    return (await sorted(db, query, order)) as Row[];
  };
  for (let rows = await read(null); rows.length > 0;) {
    const next = rows.length < size ? Promise.resolve([]) : read(rows.at(-1)!);
    next.catch(() => {}); // the error is thrown where the page is awaited
    yield rows.map(list.fromRow);
    rows = await next;
  }
}

function sorted(db: Db, query: Query, { by, nullable, direction }: Order): Query {
  if (by !== 'id') query.orderByRaw(nullable ? db.dialect.emptyLast(by, direction) : `${by} ${direction}`);
  return query.orderBy('id', direction);
}

/** Limits a query to the rows after the last one of a page. */
function behind(query: Query, { by, nullable, direction }: Order, last: Row): void {
  const beyond = direction === 'asc' ? '>' : '<';
  const id = Number(last['id']);
  const value = last['sort_key'] as string | number | null | undefined;
  if (value === undefined) query.where('id', beyond, id);
  else if (value === null) query.whereRaw(`${by} is null`).where('id', beyond, id);
  else {
    query.where((any) => {
      any.whereRaw(`${by} ${beyond} ?`, [value]).orWhere((same) => {
        same.whereRaw(`${by} = ?`, [value]).where('id', beyond, id);
      });
      if (nullable) any.orWhereRaw(`${by} is null`);
    });
  }
}
