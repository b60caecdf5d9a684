import type { Knex } from 'knex';
import type { Logger } from '../../src/core/logger.js';
import type { ConnectionSource } from './connection-source.js';
import type { Dialect } from './dialect.js';
import { isHostPool, knexOn, type HostPool } from './host-pool.js';
import { letProcessEnd } from './idle.js';
import { mysqlDialect, openMysql } from './mysql.js';
import { isPipelined, openPostgres, postgresDialect } from './postgres.js';
import { checkDriverOf, checkOwnDriver } from './sqlite-driver.js';
import type { SqliteThreads } from './sqlite-threads.js';
import { openSqlite, sqliteDialect } from './sqlite.js';
import { clientOf } from './knex-internals.js';

export interface DatabaseConfig {
  readonly client: 'better-sqlite3' | 'pg' | 'mysql2';
  /**
   * For SQLite a file name or `:memory:`; for the servers a URL or the driver's settings. With `{ filename:
   * Buffer }` SQLite opens a database in memory that starts as a copy of these bytes. For the servers it may
   * also be a function, which is called before each new connection, so that a host without a proxy can name
   * the current server.
   */
  readonly connection: ConnectionSource;
  /** The least and the most open connections, 0 and 10 by default. SQLite always has one. */
  readonly pool?: { readonly min?: number; readonly max?: number };
  /**
   * PostgreSQL behind a pooler that gives a server's session to others after each transaction, such as PgBouncer in
   * transaction mode: no settings of the session are sent, and no statements are prepared. Set `statement_timeout` and
   * `idle_in_transaction_session_timeout` for the role on the server instead.
   */
  readonly pooler?: boolean;
}

/**
 * Where the data is stored: a connection of our own, or one of the host's (a knex instance, a `pg.Pool`, a pool of
 * `mysql2`, a `better-sqlite3` database), which we never close.
 */
export type DatabaseOption = DatabaseConfig | Knex | HostPool;

export interface OpenedDatabase {
  readonly knex: Knex;
  /** Set for SQLite in a file: its connections run in threads. */
  readonly threads: SqliteThreads | null;
  readonly dialect: Dialect;
  readonly tablePrefix: string;
  /** False for the host's own knex, which is neither configured nor closed by us. */
  readonly owned: boolean;
}

/**
 * Opens the database of the option without sending a query. A host's own knex is used through a view, so that
 * nothing in it changes.
 */
export function openDatabase(option: DatabaseOption, tablePrefix: string, log: Logger): OpenedDatabase {
  if (!/^[a-z][a-z0-9_]{0,19}$/.test(tablePrefix))
    throw new TypeError('tablePrefix: lower-case letters, digits and _, at most 20, starting with a letter');
  if (typeof option === 'function')
    return { knex: viewOf(option), threads: null, dialect: dialectOf(option), tablePrefix, owned: false };
  const logger = knexLogger(log);
  if (isHostPool(option)) {
    const knex = knexOn(option, logger);
    return { knex, threads: null, dialect: dialectOf(knex), tablePrefix, owned: false };
  }
  const pool = { min: option.pool?.min ?? 0, max: option.pool?.max ?? 10 };
  const { client } = option;
  switch (client) {
    case 'better-sqlite3': {
      if (typeof option.connection === 'function')
        throw new TypeError('database.connection: a file name for SQLite, not a function');
      checkOwnDriver();
      const opened = openSqlite(option.connection, logger);
      return {
        knex: letProcessEnd(opened.knex),
        threads: opened.threads,
        dialect: sqliteDialect({ owned: true }),
        tablePrefix,
        owned: true,
      };
    }
    case 'pg': {
      const { knex, sendsAhead } = openPostgres(option.connection, pool, {
        log: logger,
        pooler: option.pooler === true,
      });
      return {
        knex: letProcessEnd(knex),
        threads: null,
        dialect: postgresDialect({ sendsAhead }),
        tablePrefix,
        owned: true,
      };
    }
    case 'mysql2':
      return {
        knex: letProcessEnd(openMysql(option.connection, pool, logger)),
        threads: null,
        dialect: mysqlDialect({ owned: true }),
        tablePrefix,
        owned: true,
      };
    default:
      throw new TypeError(`database.client: better-sqlite3, pg or mysql2, not ${String(client)}`);
  }
}

/** The dialect of a host's own knex instance, found by the type of its client. */
function dialectOf(knex: Knex): Dialect {
  const family = clientOf(knex).dialect;
  if (family === 'sqlite3') {
    checkDriverOf(knex);
    return sqliteDialect({ owned: false });
  }
  if (family === 'postgresql') {
    const { connection } = clientOf(knex).config;
    return postgresDialect({ sendsAhead: isPipelined(connection) });
  }
  if (family === 'mysql') return mysqlDialect({ owned: false });
  throw new TypeError(
    `database: a knex instance for SQLite, PostgreSQL, MySQL or MariaDB, not ${String(family)}`,
  );
}

// Shares the host's pool but has settings of its own: camelCase mappers of the host would rename our columns,
// and its listeners would receive our values.
function viewOf(knex: Knex): Knex {
  const view = knex.withUserParams({});
  const client = clientOf(view);
  client.config = {
    ...client.config,
    postProcessResponse: undefined,
    wrapIdentifier: undefined,
    compileSqlOnError: false,
  };
  return view;
}

// Driver warnings may contain SQL and values, so they go to our log and never to the console.
function knexLogger(log: Logger): Knex.Logger {
  const text = (message: unknown): string =>
    `knex: ${message instanceof Error ? message.message : String(message)}`;
  return {
    debug: (message) => {
      log.debug(text(message));
    },
    warn: (message) => {
      log.warn(text(message));
    },
    error: (message) => {
      log.error(text(message));
    },
    deprecate: (method, alternative) => {
      log.debug(`knex: ${method} is deprecated, use ${alternative}`);
    },
  };
}
