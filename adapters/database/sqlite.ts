import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import type { Row } from '../../src/database/db.js';
import type { Dialect, FailureKind } from './dialect.js';
import { onConflictWrites } from './on-conflict.js';
import { anyColumn, errorCodes, inChunks, likePattern, quoteColumn, slotLength, valuesClause } from './sql.js';

export interface SqliteDialectOptions {
  /** We opened the connection: transactions begin with BEGIN IMMEDIATE, and `fa_lower` folds all letters, not only ASCII. */
  readonly owned: boolean;
}

const FAILURES: Readonly<Record<string, FailureKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'unique', SQLITE_CONSTRAINT_PRIMARYKEY: 'unique', SQLITE_CONSTRAINT_ROWID: 'unique',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign_key', SQLITE_CONSTRAINT_TRIGGER: 'foreign_key', SQLITE_CONSTRAINT_CHECK: 'check',
};

export function sqliteDialect({ owned }: SqliteDialectOptions): Dialect {
  return {
    name: 'sqlite',
    ...onConflictWrites,
    async insert(db, table, row) {
      const [id] = await db(table).insert(row);
      return Number(id);
    },
    insertMany: (db, table, rows) => inChunks(rows, async (chunk) => {
      const { text, bindings } = valuesClause(chunk, '`');
      const { lastInsertRowid } = await db.knex.raw(`insert into \`${db.name(table)}\` ${text}`, bindings) as { lastInsertRowid: number | bigint };
      return chunk.map((_row, at) => Number(lastInsertRowid) - chunk.length + 1 + at); // one writer: a statement's ids are consecutive
    }),
    forUpdate: (query) => query, // one writer
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
    failure: sqliteFailure,
    rows: (answer) => (Array.isArray(answer) ? answer as Row[] : []),
    affected: (answer) => (answer as { changes?: number }).changes ?? 0,
    transactionConfig: {},
    // A host's own knex begins deferred; an empty write takes the lock before anything is read, as BEGIN IMMEDIATE would.
    begin: async (trx, leases) => { if (!owned) await trx(leases).where(trx.raw('1 = 0')).delete(); },
    patiently: (_trx, work) => work(), // no limit to lift
    createStatements: (statements) => [...statements],
    transactionalSchema: true,
  };
}

function sqliteFailure(error: unknown): FailureKind {
  const { name, code } = errorCodes(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (name === 'KnexTimeoutError') return 'timeout';
  return FAILURES[code] ?? null;
}

/** What we use of a better-sqlite3 connection. */
interface Connection {
  readonly inTransaction: boolean;
  prepare(sql: string): object;
  exec(sql: string): void;
  pragma(text: string): unknown;
  function(name: string, options: object, work: (value: unknown) => unknown): void;
}

interface Begin { begin(connection: Connection): Promise<unknown>; query(connection: Connection, sql: string): Promise<unknown> }
type ClientClass = new (config: object) => {
  transaction(...args: unknown[]): Begin;
  _query(connection: Connection, query: { sql: string }): Promise<unknown>;
};

// A deferred BEGIN that reads first fails at once, without waiting, when another connection has written (SQLITE_BUSY_SNAPSHOT).
// knex leaves the transaction open when COMMIT fails (disk full), so it is rolled back here.
function immediateClient(): ClientClass {
  const Base = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3/index.js') as ClientClass;
  return class ImmediateClient extends Base {
    override transaction(...args: unknown[]): Begin {
      const transaction = super.transaction(...args);
      transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
      return transaction;
    }

    override async _query(connection: Connection, query: { sql: string }): Promise<unknown> {
      try {
        return await super._query(connection, query);
      } catch (error) {
        if (query.sql === 'COMMIT;' && connection.inTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    }
  };
}

/** Opens SQLite with one connection: it has one writer, and waiting for a second would block the event loop. */
export function openSqlite(connection: string | Readonly<Record<string, unknown>>, log: Knex.Logger): Knex {
  const settings = typeof connection === 'string' ? { filename: connection.replace(/^sqlite:(?:\/\/)?/, '') } : { ...connection };
  return createKnex({
    client: immediateClient() as never,
    connection: settings as never,
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate },
    acquireConnectionTimeout: 30_000,
    log,
  });
}

function afterCreate(connection: Connection, done: (error: unknown, connection: Connection) => void): void {
  void (async () => { done(await prepare(connection), connection); })();
}

// Two processes that switch a new file to WAL at once meet SQLITE_BUSY in spite of busy_timeout.
async function prepare(connection: Connection): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const pragma of ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) connection.pragma(pragma);
      connection.function('fa_lower', { deterministic: true }, (value) => (typeof value === 'string' ? value.toLowerCase() : value));
      keepStatements(connection);
      return null;
    } catch (error) {
      if (attempt === 20 || sqliteFailure(error) !== 'busy') return error;
      await sleep(25 + Math.random() * 100);
    }
  }
}

const MAX_STATEMENTS = 200;
const MAX_KEPT_LENGTH = 2000;
const REPEATED = /^(?:select|insert|update|delete|begin|commit)\b/i;

/** knex prepares every statement anew. The last ones used are kept; after a change of the schema none are. */
function keepStatements(connection: Connection): void {
  const prepare = connection.prepare.bind(connection);
  const known = new Map<string, object>();
  connection.prepare = (sql) => {
    if (!REPEATED.test(sql)) known.clear();
    const statement = known.get(sql) ?? prepare(sql);
    if (sql.length > MAX_KEPT_LENGTH || !REPEATED.test(sql)) return statement;
    known.delete(sql); // the oldest use comes first
    known.set(sql, statement);
    if (known.size > MAX_STATEMENTS) known.delete(known.keys().next().value!);
    return statement;
  };
}
