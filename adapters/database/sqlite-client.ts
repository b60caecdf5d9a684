import { createRequire } from 'node:module';
import type { StatementResult, SqliteConnection } from './sqlite-connection.js';
import type { SqliteThreads } from './sqlite-threads.js';

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: object;
}
/** A connection of the pool, or the threads that read. */
interface Connection extends Pick<SqliteConnection, 'run'> {
  /** The time limit of the work that took it from the pool; it holds for the whole transaction. */
  limit?: number;
}
interface Begin {
  begin(connection: Connection): Promise<unknown>;
  query(connection: Connection, sql: string): Promise<unknown>;
}
interface Builder {
  readonly _method?: string;
  toSQL(method: string | undefined): Query;
}
export type ClientClass = new (config: object) => {
  readonly transacting?: boolean;
  runner(builder: Builder): unknown;
  query(connection: Connection, query: Query): Promise<Query>;
  processResponse(query: Query, runner: object): unknown;
  transaction(...args: unknown[]): Begin;
  acquireConnection(): Promise<Connection>;
  acquireRawConnection(): Promise<SqliteConnection>;
  destroyRawConnection(connection: SqliteConnection): Promise<void>;
  validateConnection(connection: SqliteConnection): boolean;
  _query(connection: Connection, query: Query): Promise<Query>;
  _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
};

const READS = new Set(['select', 'first', 'pluck']);

/**
 * knex's client for better-sqlite3 with connections of our own, immediate transactions, and threads for
 * reading.
 */
export function sqliteClient(connect: () => SqliteConnection, threads: SqliteThreads | null): ClientClass {
  const Base = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3/index.js') as ClientClass;
  return class SqliteClient extends Base {
    // A read outside a transaction needs no connection from the pool. A read inside one sees what the
    // transaction wrote.
    override runner(builder: Builder): unknown {
      if (!threads || this.transacting || !READS.has(builder._method ?? '')) return super.runner(builder);
      const runner = {
        run: async () =>
          this.processResponse(await this.query(threads, builder.toSQL(builder._method)), runner),
      };
      return runner;
    }

    // A deferred BEGIN that reads first fails at once, without waiting, when another connection has written
    // in the meantime (SQLITE_BUSY_SNAPSHOT).
    override transaction(...args: unknown[]): Begin {
      const transaction = super.transaction(...args);
      transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
      return transaction;
    }

    override async acquireConnection(): Promise<Connection> {
      const connection = await super.acquireConnection();
      connection.limit = threads?.seconds() ?? 0;
      return connection;
    }

    override async acquireRawConnection(): Promise<SqliteConnection> {
      return connect();
    }

    override async destroyRawConnection(connection: SqliteConnection): Promise<void> {
      await connection.close();
    }

    override validateConnection(connection: SqliteConnection): boolean {
      return connection.usable;
    }

    override async _query(connection: Connection, query: Query): Promise<Query> {
      const limit = connection.limit ?? threads?.seconds() ?? 0;
      const response = await connection.run(query.sql, this._formatBindings(query.bindings), limit);
      query.response = rowsOf(response);
      if (response.context) query.context = response.context;
      return query;
    }
  };
}

function rowsOf({ columns, response }: StatementResult): unknown {
  if (!columns) return response;
  return (response as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at += 1) row[columns[at]!] = values[at];
    return row;
  });
}
