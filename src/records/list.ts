import { chunks } from '../core/chunks.js';
import type { Knex } from 'knex';
import { offsetOf, type ExportPages, type ExportRow, type Page, type Window } from '../core/page.js';
import type { Db, Row } from '../platform/database/db.js';
import type { TableName } from '../../adapters/database/tables.js';

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
  /** Only this many first characters of the text count. */
  readonly start?: number;
}

export interface Order extends SortKey {
  readonly direction: 'asc' | 'desc';
}

/** A part of a list. */
interface OrderedWindow extends Window {
  readonly order: Order;
}

/** By id. */
export const NEWEST_FIRST: Order = { by: 'id', direction: 'desc' };

/** Adds the conditions of a list to a query. */
export type Matching = (query: Query) => void;

const CHUNK = 1000;
/** As many rows as the longest page has. */
const SHORT_PAGE = 200;
/** Rows of an export are formatted page by page, and an order in this process waits for one page. */
const EXPORT_PAGE = 250;

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

/** A page and the number of rows on all pages, which a list may know without counting its rows. */
export async function readPage<T>(
  db: Db,
  list: ListSpec<T>,
  matching: Matching,
  query: { readonly page: number; readonly per_page: number; readonly order: Order },
  count = (): Promise<number> => countRows(db, list, matching),
): Promise<Page<T>> {
  const { page, per_page, order } = query;
  const window = { limit: per_page, offset: offsetOf(query), order };
  const { ids, total } = await readIdPage(db, list, matching, window, count);
  return { rows: await rowsInOrder(db, list, ids), total, page, per_page };
}

/**
 * The ids of a page and the number of rows on all pages. A first page that is not full contains all rows. For every
 * other page the rows are counted, before later pages are read: a page behind the last one is not looked for.
 */
export async function readIdPage(
  db: Db,
  list: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
  part: OrderedWindow,
  count = (): Promise<number> => countRows(db, list, matching),
): Promise<{ readonly ids: readonly number[]; readonly total: number }> {
  if (part.offset > 0) {
    const total = await count();
    return { ids: part.offset < total ? await readIds(db, list, matching, part) : [], total };
  }
  const ids = await readIds(db, list, matching, part);
  return { ids, total: ids.length < part.limit ? ids.length : await count() };
}

export async function countRows(
  db: Db,
  { table }: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
): Promise<number> {
  const query = db(table);
  matching(query);
  return countOf(query);
}

/** How many rows a query would return. */
export async function countOf(query: Query): Promise<number> {
  const row = (await query.count({ n: '*' }).first()) as Row | undefined;
  return Number(row?.['n'] ?? 0);
}

/**
 * The ids of a page. When an index holds conditions and order, no row is read for the pages before it. Rows
 * without a value come last. They are read by a query of their own, because an index that holds them last in both
 * directions does not exist on all three databases.
 */
export async function readIds(
  db: Db,
  list: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
  part: OrderedWindow,
): Promise<number[]> {
  const { by, nullable, direction } = part.order;
  if (!nullable) return idsOf(db, list, matching, part);
  const withValue: Matching = (query) => {
    matching(query);
    query.whereRaw(`${by} is not null`);
  };
  const ids = await idsOf(db, list, withValue, part);
  if (ids.length === part.limit) return ids;
  const isBehind = ids.length === 0 && part.offset > 0;
  const before = isBehind ? part.offset - (await countRows(db, list, withValue)) : 0;
  const without: Matching = (query) => {
    matching(query);
    query.whereRaw(`${by} is null`);
  };
  const rest = { limit: part.limit - ids.length, offset: before, order: { by: 'id', direction } };
  return [...ids, ...(await idsOf(db, list, without, rest))];
}

async function idsOf(
  db: Db,
  { table }: Pick<ListSpec<unknown>, 'table'>,
  matching: Matching,
  { limit, offset, order }: OrderedWindow,
): Promise<number[]> {
  const query = db(table).select('id').limit(limit).offset(offset);
  matching(query);
  if (order.by !== 'id') query.orderByRaw(`${sortedBy(db, order)} ${order.direction}`);
  const rows = (await query.orderBy('id', order.direction)) as Row[];
  return rows.map((row) => Number(row['id']));
}

type Key = Readonly<Record<string, string | number>>;
type Readable<T> = Pick<ListSpec<T>, 'table' | 'columns' | 'fromRow'>;

/** The record with this unique key; null without one. */
export async function findRecord<T>(db: Db, of: Readable<T>, key: Key): Promise<T | null> {
  const row = await db.findByKey(of.table, of.columns, key);
  return row ? of.fromRow(row) : null;
}

/** Like `findRecord`, locked until the transaction ends. */
export async function lockRecord<T>(trx: Db, of: Readable<T>, key: Key): Promise<T | null> {
  const row = await trx.lockRow(of.table, of.columns, key);
  return row ? of.fromRow(row) : null;
}

/** Whole rows in the order of their ids. */
export async function rowsInOrder<T>(db: Db, list: ListSpec<T>, ids: readonly number[]): Promise<T[]> {
  const rows = new Map<number, T>();
  for (const row of await rowsOf(db, list, ids)) rows.set(Number(row['id']), list.fromRow(row));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Whole rows by their ids, or by another key, in any order. */
export async function rowsOf(
  db: Db,
  { table, columns }: Pick<ListSpec<unknown>, 'table' | 'columns'>,
  ids: readonly number[],
  key = 'id',
): Promise<Row[]> {
  // behind a dot a word of SQL (the column `before`) is a name on every database
  const names = columns.map((column) => `t.${column}`).join(', ');
  const found: Row[] = [];
  for (const some of chunks(ids, CHUNK)) {
    const places = some.map(() => '?').join(', ');
    const sql = `select ${names} from ${db.name(table)} t where t.${key} in (${places})`;
    found.push(...(await (ids.length > SHORT_PAGE ? db.raw(sql, some) : db.readLocal(sql, some))));
  }
  return found;
}

/**
 * Reads all rows in pages by key. A row that does not change in the meantime comes exactly once, and no
 * cursor is open between two pages. The next page is read while the caller uses the current one.
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
    if (order.by !== 'id') query.select({ sort_key: db.knex.raw(sortedBy(db, order)) });
    matching(query);
    if (after !== null) behind(db, query, order, after);
    return (await sorted(db, query, order)) as Row[];
  };
  for (let rows = await read(null); rows.length > 0;) {
    const next = rows.length < size ? Promise.resolve([]) : read(rows.at(-1)!);
    next.catch(() => {}); // the error is thrown where the page is awaited
    // A statement is sent at the end of a turn. Without this wait, the caller's work on the page would come first.
    if (rows.length === size) await endOfTurn();
    yield rows.map(list.fromRow);
    rows = await next;
  }
}

/** All rows of a list for an export: their number, and pages of what `toRows` makes of them. */
export async function exportPages<T>(
  db: Db,
  list: ListSpec<T>,
  { matching, order = NEWEST_FIRST, count }: ExportedList,
  toRows: (records: readonly T[]) => readonly ExportRow[] | Promise<readonly ExportRow[]>,
): Promise<ExportPages> {
  return {
    total: await (count?.() ?? countRows(db, list, matching)),
    rows: mapped(readAll(db, list, matching, order), toRows),
  };
}

interface ExportedList {
  readonly matching: Matching;
  readonly order?: Order;
  /** For a list that knows its number of rows. */
  readonly count?: () => Promise<number>;
}

async function* mapped<T, R>(
  pages: AsyncIterable<T>,
  change: (page: T) => R | Promise<R>,
): AsyncGenerator<Awaited<R>> {
  for await (const page of pages) yield await change(page);
}

const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** The SQL to sort by. */
const sortedBy = (db: Db, { by, start }: SortKey): string =>
  start === undefined ? by : db.dialect.textStart(by, start);

function sorted(db: Db, query: Query, order: Order): Query {
  const { nullable, direction } = order;
  const by = sortedBy(db, order);
  if (by !== 'id') query.orderByRaw(nullable ? db.dialect.emptyLast(by, direction) : `${by} ${direction}`);
  return query.orderBy('id', direction);
}

/** Limits a query to the rows after the last one of a page. */
function behind(db: Db, query: Query, order: Order, last: Row): void {
  const { by, nullable, direction } = order;
  const sql = sortedBy(db, order);
  const beyond = direction === 'asc' ? '>' : '<';
  const id = Number(last['id']);
  const value = last['sort_key'] as string | number | null | undefined;
  if (value === undefined) query.where('id', beyond, id);
  else if (value === null) query.whereRaw(`${by} is null`).where('id', beyond, id);
  else {
    query.where((any) => {
      any.whereRaw(`${sql} ${beyond} ?`, [value]).orWhere((same) => {
        same.whereRaw(`${sql} = ?`, [value]).where('id', beyond, id);
      });
      if (nullable) any.orWhereRaw(`${by} is null`);
    });
  }
}
