import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import type { Dialect, FailureKind, Row } from './dialect.js';
import { onConflictWrites } from './on-conflict.js';
import { sqliteClient } from './sqlite-client.js';
import { LocalConnection, type SqliteConnection, type SqliteFile } from './sqlite-connection.js';
import { sqliteDriverPath } from './sqlite-driver.js';
import { THREAD_GONE } from './sqlite-thread.js';
import { SqliteThreads } from './sqlite-threads.js';
import {
  anyColumn,
  errorCodes,
  inChunks,
  likePattern,
  quoteColumn,
  fieldsOf,
  listOrNone,
  slotLength,
  valuesClause,
} from './sql.js';

export interface SqliteDialectOptions {
  /**
   * True when we opened the connection: transactions then begin with BEGIN IMMEDIATE, and `fa_lower` folds
   * all letters, not only ASCII.
   */
  readonly owned: boolean;
}

const FAILURES: Readonly<Record<string, FailureKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
  SQLITE_CONSTRAINT_ROWID: 'unique',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign_key',
  SQLITE_CONSTRAINT_TRIGGER: 'foreign_key',
  SQLITE_CONSTRAINT_CHECK: 'check',
};

export function sqliteDialect({ owned }: SqliteDialectOptions): Dialect {
  return {
    name: 'sqlite',
    ...onConflictWrites,
    idsInserted: async () => {},
    async idsFrom(db, table, next) {
      const name = db.name(table);
      const known = await db.execute('update sqlite_sequence set seq = max(seq, ?) where name = ?', [
        next - 1,
        name,
      ]);
      if (known === 0)
        await db.execute('insert into sqlite_sequence (name, seq) values (?, ?)', [name, next - 1]);
    },
    insertMany: (db, table, rows) =>
      inChunks(rows, async (chunk) => {
        const { text, bindings } = valuesClause(chunk, '"');
        const rows = await db.raw(`insert into "${db.name(table)}" ${text} returning "id"`, bindings);
        // ids are assigned in the order of the rows, but returned in any order
        return rows.map((row) => Number(row['id'])).sort((a, b) => a - b);
      }),
    rowLock: '', // there is one writer
    forUpdate: (query) => query,
    // there is one writer: a missing row is missing until this transaction writes it
    async lockRows(db, table, rows, keyColumn) {
      const stored: Row[] = await db(table).whereIn(
        keyColumn,
        rows.map((row) => row[keyColumn] as string),
      );
      const known = new Set(stored.map((row) => row[keyColumn]));
      return [...stored, ...rows.filter((row) => !known.has(row[keyColumn]))];
    },
    timeText: (ms) => `strftime('%Y-%m-%d %H:%M:%S', (${ms}) / 1000, 'unixepoch')`,
    emptyLast: (by, direction) => `${by} ${direction} nulls last`,
    textStart: (column, length) => `substr(${column}, 1, ${length})`,
    sizeQuery: 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    slot: (column, slotMs) => `(${quoteColumn(column, '`')} / ${slotLength(slotMs)})`,
    jsonRows: (list, fields) => ({
      join: `join json_each(${listOrNone(list)}) j`,
      of: fieldsOf(fields, (field, kind) => {
        const value = `json_extract(j.value, '$.${field}')`;
        return kind === 'text' ? `cast(${value} as text)` : `cast(coalesce(${value}, 0) as real)`;
      }),
    }),
    contains(query, columns, text) {
      // LIKE folds only ASCII letters. Our own function is slower, so it is used only for other letters.
      const lower = owned && /[^\0-\x7f]/.test(text);
      const condition = (column: string): string => {
        const quoted = quoteColumn(column, '`');
        return `${lower ? `fa_lower(${quoted})` : quoted} like ? escape '!'`;
      };
      return anyColumn(query, columns, condition, likePattern(lower ? text.toLowerCase() : text));
    },
    asText: (column) => `cast(${quoteColumn(column, '`')} as text)`,
    jsonInteger: (column, key) => `json_extract(${quoteColumn(column, '`')}, '$.${key}')`,
    jsonObject: (columns) =>
      `json_object(${columns.map((name) => `'${name}', ${quoteColumn(name, '`')}`).join(', ')})`,
    failure: sqliteFailure,
    refusesWrites: () => false,
    rows: (response) => (Array.isArray(response) ? (response as Row[]) : []),
    affected: (response) => (response as { changes?: number }).changes ?? 0,
    transactionConfig: {},
    sendsAhead: owned, // a host's own knex may use another driver
    // A host's own knex begins deferred transactions. A write without effect takes the lock before anything
    // is read, as BEGIN IMMEDIATE would.
    begin: async (trx, leases) => {
      if (!owned) await trx(leases).where(trx.raw('1 = 0')).delete();
    },
    limitStatement: () => null, // the thread receives the limit with each statement
    createStatements: (statements) => [...statements],
    async addColumn(db, table, column, definition) {
      // table_xinfo, because table_info omits generated columns
      const columns = await db.raw(
        `select name from pragma_table_xinfo('${db.name(table)}') where name = ?`,
        [column],
      );
      if (columns.length === 0)
        await db.execute(`alter table "${db.name(table)}" add column "${column}" ${definition}`);
    },
    transactionalSchema: true,
  };
}

function sqliteFailure(error: unknown): FailureKind {
  const { name, code } = errorCodes(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (code === 'SQLITE_FULL') return 'full';
  if (code === 'SQLITE_INTERRUPT' || name === 'KnexTimeoutError') return 'timeout';
  if (code === THREAD_GONE) return 'outcome_unknown';
  return FAILURES[code] ?? null;
}

/**
 * Opens SQLite with one connection that writes, since SQLite has one writer. A file is opened in threads, so
 * that nothing blocks the host's event loop. A database in memory cannot be shared between threads and is
 * opened in this one.
 */
export function openSqlite(
  connection: string | Readonly<Record<string, unknown>>,
  log: Knex.Logger,
): { readonly knex: Knex; readonly threads: SqliteThreads | null } {
  const settings =
    typeof connection === 'string'
      ? { filename: connection.replace(/^sqlite:(?:\/\/)?/, '') }
      : { ...connection };
  const file = fileOf(settings);
  const threads = isInMemory(file.filename) ? null : new SqliteThreads(file);
  const connect = (): SqliteConnection => threads?.writer() ?? new LocalConnection(file);
  const knex = createKnex({
    client: sqliteClient(connect, threads) as never,
    connection: settings as never,
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate },
    acquireConnectionTimeout: 30_000,
    compileSqlOnError: false, // no values in errors, so that none get into logs
    log,
  });
  return { knex, threads };
}

/** The path is resolved here, because the threads open the file later and the host may change its folder. */
function fileOf({ filename, options }: Readonly<Record<string, unknown>>): SqliteFile {
  const { nativeBinding, readonly } = (options ?? {}) as Partial<SqliteFile>;
  const given = Buffer.isBuffer(filename) ? filename : String(filename ?? '');
  return {
    driver: sqliteDriverPath(),
    filename: isInMemory(given) ? given : resolve(String(given)),
    nativeBinding,
    readonly,
  };
}

const isInMemory = (filename: string | Buffer): boolean =>
  Buffer.isBuffer(filename) || ['', ':memory:'].includes(filename.trim());

const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

function afterCreate(
  connection: SqliteConnection,
  done: (error: unknown, connection: SqliteConnection) => void,
): void {
  void (async () => {
    done(await prepare(connection), connection);
  })();
}

// Two processes that switch a new file to WAL at the same time get SQLITE_BUSY in spite of busy_timeout.
async function prepare(connection: SqliteConnection): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const pragma of PRAGMAS) await connection.run(`pragma ${pragma}`, [], 0);
      return null;
    } catch (error) {
      if (attempt === 20 || sqliteFailure(error) !== 'busy') return error;
      await sleep(25 + Math.random() * 100);
    }
  }
}
