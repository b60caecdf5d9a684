import { createRequire } from 'node:module';

/** What we use of a better-sqlite3 connection. */
export interface SqliteConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  pragma(text: string): unknown;
  function(name: string, options: object, work: (value: unknown) => unknown): void;
}

interface Statement {
  readonly reader: boolean;
  raw(on: boolean): Statement;
  columns(): readonly { readonly name: string }[];
  all(bindings: readonly unknown[]): unknown[];
  run(bindings: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: object;
}
interface Begin {
  begin(connection: SqliteConnection): Promise<unknown>;
  query(connection: SqliteConnection, sql: string): Promise<unknown>;
}
interface Builder {
  readonly _method?: string;
  toSQL(method: string | undefined): Query;
}

export type ClientClass = new (config: object) => {
  /** The connection for what only reads; none in memory, where another one would see another database. */
  reader?: () => SqliteConnection;
  runner(builder: Builder): unknown;
  query(connection: SqliteConnection, query: Query): Promise<Query>;
  processResponse(query: Query, runner: object): unknown;
  transaction(...args: unknown[]): Begin;
  _query(connection: SqliteConnection, query: Query): Promise<Query>;
  _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
};

const READS = new Set(['select', 'first', 'pluck']);

/** knex's client for better-sqlite3: immediate transactions, kept statements, and a second connection for what only reads. */
export function sqliteClient(): ClientClass {
  const Base = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3/index.js') as ClientClass;
  const kept = new WeakMap<SqliteConnection, KeptStatements>();
  const statementsOf = (connection: SqliteConnection): KeptStatements => {
    const known = kept.get(connection) ?? new KeptStatements(connection);
    kept.set(connection, known);
    return known;
  };
  return class SqliteClient extends Base {
    // The driver answers at once, so a read needs no pool. The client of a transaction has no reader: it sees what it wrote itself.
    override runner(builder: Builder): unknown {
      if (!this.reader || !READS.has(builder._method ?? '')) return super.runner(builder);
      const connection = this.reader();
      const runner = {
        run: async () =>
          this.processResponse(await this.query(connection, builder.toSQL(builder._method)), runner),
      };
      return runner;
    }

    // A deferred BEGIN that reads first fails at once, without waiting, when another connection has written (SQLITE_BUSY_SNAPSHOT).
    override transaction(...args: unknown[]): Begin {
      const transaction = super.transaction(...args);
      transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
      return transaction;
    }

    // knex prepares every statement anew, and leaves the transaction open when COMMIT fails (disk full).
    override async _query(connection: SqliteConnection, query: Query): Promise<Query> {
      try {
        return Object.assign(
          query,
          statementsOf(connection).run(query.sql, this._formatBindings(query.bindings)),
        );
      } catch (error) {
        if (query.sql === 'COMMIT;' && connection.inTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    }
  };
}

const MAX_STATEMENTS = 200;
const MAX_KEPT_LENGTH = 2000;
const REPEATED = /^(?:select|insert|update|delete|begin|commit)\b/i;
const NAMES_NO_COLUMNS = /\*(?!\s*\))/; // the columns of `*` change with the schema, those of `count(*)` do not

type Answer = Pick<Query, 'response' | 'context'>;
interface Kept {
  readonly statement: Statement;
  readonly columns: readonly string[] | null;
}

/** The statements used last on one connection; after a change of the schema none are kept. */
class KeptStatements {
  readonly #known = new Map<string, Kept>();

  constructor(private readonly connection: SqliteConnection) {}

  run(sql: string, bindings: readonly unknown[]): Answer {
    const { statement, columns } = this.#prepared(sql);
    if (columns)
      return {
        response: statement.all(bindings).map((values) => toRow(columns, values as readonly unknown[])),
      };
    if (statement.reader) return { response: statement.all(bindings) };
    const response = statement.run(bindings);
    return { response, context: { lastID: response.lastInsertRowid, changes: response.changes } };
  }

  #prepared(sql: string): Kept {
    const isRepeated = REPEATED.test(sql);
    if (!isRepeated) this.#known.clear();
    const kept = this.#known.get(sql) ?? prepare(this.connection, sql);
    if (!isRepeated || sql.length > MAX_KEPT_LENGTH) return kept;
    this.#known.delete(sql); // the oldest use comes first
    this.#known.set(sql, kept);
    if (this.#known.size > MAX_STATEMENTS) this.#known.delete(this.#known.keys().next().value!);
    return kept;
  }
}

// Rows as arrays come several times faster from the driver than rows as objects.
function prepare(connection: SqliteConnection, sql: string): Kept {
  const statement = connection.prepare(sql);
  if (!statement.reader || NAMES_NO_COLUMNS.test(sql)) return { statement, columns: null };
  return { statement: statement.raw(true), columns: statement.columns().map(({ name }) => name) };
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at]!] = values[at];
  return row;
}
