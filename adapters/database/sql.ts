import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { TableName } from './tables.js';
import type { Db, Hits, NewRow } from './dialect.js';

const MAX_NAME = 63; // PostgreSQL cuts longer names without an error, MySQL refuses names longer than 64
const CHUNK_ROWS = 250; // SQLite takes at most 32,766 bindings in one statement
const PLAIN_COLUMN = /^\w+(?:\.\w+)?$/;

/** A constraint or index name that fits every database; a long one ends with a hash of the full name. */
export function shortName(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${name.slice(0, MAX_NAME - 11)}_${hash}`;
}

/** The name knex would give an index. */
const indexName = (table: string, columns: readonly string[]): string =>
  shortName(`${table}_${columns.join('_')}_index`);

/** CREATE INDEX with the name knex would give it. */
export function indexStatement(
  table: string,
  columns: readonly string[],
  { create, quote }: { readonly create: string; readonly quote: '"' | '`' },
): string {
  const name = indexName(table, columns);
  return `${create} ${quote}${name}${quote} on ${quote}${table}${quote} (${columnList(columns, quote)})`;
}

const columnList = (columns: readonly string[], quote: '"' | '`'): string =>
  columns.map((column) => quoteColumn(column, quote)).join(', ');

/**
 * Quotes a name: `fa_visits.url` → `"fa_visits"."url"`. SQL text of our own, such as a cast, is not changed.
 */
export function quoteColumn(column: string, quote: '"' | '`'): string {
  if (!PLAIN_COLUMN.test(column)) return column;
  return column
    .split('.')
    .map((part) => `${quote}${part}${quote}`)
    .join('.');
}

/**
 * A LIKE pattern for "contains", escaped with `!`. NUL is removed: no database stores it, and PostgreSQL
 * refuses it.
 */
export function likePattern(text: string): string {
  return `%${text.replaceAll('\0', '').replace(/[!%_]/g, '!$&')}%`;
}

/** Does one of the columns match? `condition` makes the SQL for one column, with one `?` for the pattern. */
export function anyColumn(
  query: Knex.QueryBuilder,
  columns: readonly string[],
  condition: (column: string) => string,
  pattern: string,
): Knex.QueryBuilder {
  return query.where((group) => {
    for (const column of columns) void group.orWhereRaw(condition(column), [pattern]);
  });
}

/** The slot length becomes part of the SQL text, so it has to be a positive integer. */
export function slotLength(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms <= 0)
    throw new RangeError('A slot is a positive number of milliseconds.');
  return ms;
}

/**
 * Leaves one row per unique key, because an upsert cannot change a row twice, and splits the rows so that
 * each part fits into one statement.
 */
export function* keyedChunks(
  rows: readonly NewRow[],
  uniqueColumns: readonly string[],
  combine: (first: NewRow, second: NewRow) => NewRow,
): Generator<NewRow[]> {
  const byKey = new Map<string, NewRow>();
  for (const row of rows) {
    const key = JSON.stringify(uniqueColumns.map((column) => row[column]));
    const known = byKey.get(key);
    byKey.set(key, known ? combine(known, row) : row);
  }
  const unique = [...byKey.values()];
  for (let at = 0; at < unique.length; at += CHUNK_ROWS) yield unique.slice(at, at + CHUNK_ROWS);
}

/** Sends the rows in parts that fit into one statement, and returns the results in one list. */
export async function inChunks<T>(
  rows: readonly NewRow[],
  write: (chunk: readonly NewRow[]) => Promise<T[]>,
): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < rows.length; at += CHUNK_ROWS)
    results.push(...(await write(rows.slice(at, at + CHUNK_ROWS))));
  return results;
}

/**
 * `(columns) values (?, …), (?, …)`. A column that a row lacks becomes null. The column names never come from
 * a request.
 */
export function valuesClause(
  rows: readonly NewRow[],
  quote: '"' | '`',
): { readonly text: string; readonly bindings: (string | number | boolean | null)[] } {
  const columns = rows.length === 1 ? given(rows[0]!) : [...new Set(rows.flatMap(given))];
  const names = columns.join(`${quote}, ${quote}`);
  const slots = `(${columns.map(() => '?').join(', ')})`;
  return {
    text: `(${quote}${names}${quote}) values ${rows.map(() => slots).join(', ')}`,
    bindings: rows.flatMap((row) =>
      columns.map((column) => (row[column] ?? null) as string | number | boolean | null),
    ),
  };
}

/** Makes the `insertRows` of a dialect. */
export const insertRowsWith =
  (quote: '"' | '`') =>
  async (db: Db, table: TableName, rows: readonly NewRow[]): Promise<void> => {
    for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
      const { text, bindings } = valuesClause(rows.slice(at, at + CHUNK_ROWS), quote);
      await db.execute(`insert into ${quote}${db.name(table)}${quote} ${text}`, bindings);
    }
  };

const given = (row: NewRow): string[] => Object.keys(row).filter((column) => row[column] !== undefined);

/** Sorts the rows, so that every transaction locks them in the same order. */
export const byKey = (rows: readonly NewRow[], keyColumn: string): NewRow[] =>
  rows.toSorted((a, b) => (String(a[keyColumn]) < String(b[keyColumn]) ? -1 : 1));

/** Hits on counters of `rate_limits`, those of one key summed, in one lock order. */
export const hitsByKey = (hits: readonly Hits[]): readonly NewRow[] =>
  byKey(
    [
      ...keyedChunks(
        hits.map((each) => ({ ...each })),
        ['limit_key'],
        summed(['points']),
      ),
    ].flat(),
    'limit_key',
  );

export const lastRow = (_first: NewRow, second: NewRow): NewRow => second;

export const summed =
  (columns: readonly string[]) =>
  (first: NewRow, second: NewRow): NewRow => ({
    ...first,
    ...Object.fromEntries(
      columns.map((column) => [column, Number(first[column] ?? 0) + Number(second[column] ?? 0)]),
    ),
  });

/** The code or errno of a driver error, wherever the driver stores it. */
export function errorCodes(error: unknown): {
  readonly name: string;
  readonly code: string;
  readonly errno: number;
  readonly message: string;
} {
  // no instanceof: the error of a driver may come from another realm
  const { name, code, errno, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    name: text(name),
    code: text(code),
    errno: typeof errno === 'number' ? errno : 0,
    message: text(message),
  };
}

const LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'ECONNABORTED',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
]);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

/** What a failed connection means, for the drivers of database servers. */
export function connectionFailure(error: unknown): 'busy' | 'timeout' | 'outcome_unknown' | null {
  const { name, code, message } = errorCodes(error);
  if (name === 'KnexTimeoutError') return 'timeout';
  if (UNREACHABLE.has(code)) return 'busy'; // never connected, so nothing was stored
  // the errors of pg and mysql2 for a server that does not respond: another try would take as long
  if (/^(?:timeout expired|connect ETIMEDOUT)/.test(message)) return 'timeout';
  if (
    LOST.has(code) ||
    /Connection terminated|connection is in closed state|Client has encountered a connection error/i.test(
      message,
    )
  )
    return 'outcome_unknown';
  return null;
}

/** SQL for each field of the elements of a JSON list (`Dialect.jsonRows`). */
export const fieldsOf = <const Field extends string>(
  fields: Readonly<Record<Field, 'text' | 'number'>>,
  sql: (field: string, kind: 'text' | 'number') => string,
): Readonly<Record<Field, string>> => {
  const entries = Object.entries(fields) as [Field, 'text' | 'number'][];
  return Object.fromEntries(entries.map(([field, kind]) => [field, sql(field, kind)])) as Record<
    Field,
    string
  >;
};

/** An expression for a JSON list; the empty one for anything else. */
export const listOrNone = (list: string): string => `case when ${list} like '[%' then ${list} else '[]' end`;
