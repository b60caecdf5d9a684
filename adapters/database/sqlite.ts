import { setTimeout as sleep } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import type { Row } from '../../src/database/db.js';
import type { Dialect, FailureKind } from './dialect.js';
import { onConflictWrites } from './on-conflict.js';
import { sqliteClient, type SqliteConnection } from './sqlite-client.js';
import {
  anyColumn,
  errorCodes,
  inChunks,
  likePattern,
  quoteColumn,
  slotLength,
  valuesClause,
} from './sql.js';

export interface SqliteDialectOptions {
  /** We opened the connection: transactions begin with BEGIN IMMEDIATE, and `fa_lower` folds all letters, not only ASCII. */
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
    insertMany: (db, table, rows) =>
      inChunks(rows, async (chunk) => {
        const { text, bindings } = valuesClause(chunk, '"');
        const rows = await db.raw(`insert into "${db.name(table)}" ${text} returning "id"`, bindings);
        return rows.map((row) => Number(row['id'])).sort((a, b) => a - b); // given out in the rows' order, told in any
      }),
    forUpdate: (query) => query, // one writer
    // one writer: what is missing stays missing until this transaction writes it
    async lockRows(db, table, rows, keyColumn) {
      const stored: Row[] = await db(table).whereIn(
        keyColumn,
        rows.map((row) => row[keyColumn] as string),
      );
      const known = new Set(stored.map((row) => row[keyColumn]));
      return [...stored, ...rows.filter((row) => !known.has(row[keyColumn]))];
    },
    timeText: (ms) => `strftime('%Y-%m-%d %H:%M:%S', (${ms}) / 1000, 'unixepoch')`,
    slot: (column, slotMs) => `(${quoteColumn(column, '`')} / ${slotLength(slotMs)})`,
    contains(query, columns, text) {
      // LIKE folds ASCII letters only; our own function is slower, so it is asked only for the others
      const lower = owned && /[^\0-\x7f]/.test(text);
      const condition = (column: string): string => {
        const quoted = quoteColumn(column, '`');
        return `${lower ? `fa_lower(${quoted})` : quoted} like ? escape '!'`;
      };
      return anyColumn(query, columns, condition, likePattern(lower ? text.toLowerCase() : text));
    },
    asText: (column) => `cast(${quoteColumn(column, '`')} as text)`,
    jsonObject: (columns) =>
      `json_object(${columns.map((name) => `'${name}', ${quoteColumn(name, '`')}`).join(', ')})`,
    failure: sqliteFailure,
    refusesWrites: () => false,
    rows: (answer) => (Array.isArray(answer) ? (answer as Row[]) : []),
    affected: (answer) => (answer as { changes?: number }).changes ?? 0,
    transactionConfig: {},
    // A host's own knex begins deferred; an empty write takes the lock before anything is read, as BEGIN IMMEDIATE would.
    begin: async (trx, leases) => {
      if (!owned) await trx(leases).where(trx.raw('1 = 0')).delete();
    },
    limitStatement: () => null, // the driver answers in the same turn, so nothing could stop it
    createStatements: (statements) => [...statements],
    async addColumn(db, table, column, definition) {
      // table_xinfo: the other one leaves generated columns out
      const columns = await db.raw(
        `select name from pragma_table_xinfo('${db.name(table)}') where name = ?`,
        [column],
      );
      if (columns.length === 0)
        await db.execute(`alter table "${db.name(table)}" add column "${column}" ${definition}`);
    },
    generated: (type, expression) => `${type} generated always as (${expression}) virtual`, // a stored one can not be added later
    transactionalSchema: true,
  };
}

function sqliteFailure(error: unknown): FailureKind {
  const { name, code } = errorCodes(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (code === 'SQLITE_FULL') return 'full';
  if (name === 'KnexTimeoutError') return 'timeout';
  return FAILURES[code] ?? null;
}

/** What reads on a connection of its own, so that no query outside a transaction waits for one. */
export interface Reader {
  readonly connection: () => SqliteConnection;
  close(): void;
}

/** Opens SQLite with one connection that writes: it has one writer, and waiting for a second would block the event loop. */
export function openSqlite(
  connection: string | Readonly<Record<string, unknown>>,
  log: Knex.Logger,
): { readonly knex: Knex; readonly reader: Reader | null } {
  const settings =
    typeof connection === 'string'
      ? { filename: connection.replace(/^sqlite:(?:\/\/)?/, '') }
      : { ...connection };
  const knex = createKnex({
    client: sqliteClient() as never,
    connection: settings as never,
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate },
    acquireConnectionTimeout: 30_000,
    compileSqlOnError: false, // values stay out of errors and so out of logs
    log,
  });
  const inMemory = ['', ':memory:'].includes(String(settings['filename'] ?? '').trim());
  return { knex, reader: inMemory ? null : readerOf(knex, settings) };
}

interface Client {
  driver: new (filename: string, options: object) => SqliteConnection;
  reader?: () => SqliteConnection;
}

function readerOf(knex: Knex, { filename, options }: Readonly<Record<string, unknown>>): Reader {
  const client = knex.client as Client;
  let opened: SqliteConnection | undefined;
  const connection = (): SqliteConnection => {
    if (opened) return opened;
    opened = new client.driver(String(filename), {
      nativeBinding: (options as { nativeBinding?: string } | undefined)?.nativeBinding,
    });
    opened.pragma('query_only = ON');
    addFunctions(opened);
    return opened;
  };
  client.reader = connection;
  return {
    connection,
    close: () => {
      opened?.close();
    },
  };
}

function addFunctions(connection: SqliteConnection): void {
  connection.function('fa_lower', { deterministic: true }, (value) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  );
}

const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

function afterCreate(
  connection: SqliteConnection,
  done: (error: unknown, connection: SqliteConnection) => void,
): void {
  void (async () => {
    done(await prepare(connection), connection);
  })();
}

// Two processes that switch a new file to WAL at once meet SQLITE_BUSY in spite of busy_timeout.
async function prepare(connection: SqliteConnection): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const pragma of PRAGMAS) connection.pragma(pragma);
      addFunctions(connection);
      return null;
    } catch (error) {
      if (attempt === 20 || sqliteFailure(error) !== 'busy') return error;
      await sleep(25 + Math.random() * 100);
    }
  }
}
