import type { Knex } from 'knex';
import type { Logger } from '../../src/core/logger.js';
import type { ConnectionSource } from './connection-source.js';
import type { Dialect } from './dialect.js';
import { mysqlDialect, openMysql } from './mysql.js';
import { isPipelined, openPostgres, postgresDialect } from './postgres.js';
import { checkDriverOf, checkOwnDriver } from './sqlite-driver.js';
import type { SqliteThreads } from './sqlite-threads.js';
import { openSqlite, sqliteDialect } from './sqlite.js';

export interface DatabaseConfig {
  readonly client: 'better-sqlite3' | 'pg' | 'mysql2';
  /**
   * A file name or `:memory:` for SQLite, a URL or the driver's settings for the others
   * (for SQLite `{ filename: Buffer }` is a database in memory that begins as a copy of these bytes).
   * For the servers also a function, asked before each new connection:
   * how a host without a proxy names the server to use now.
   */
  readonly connection: ConnectionSource;
  /** Connections kept open and allowed at most, 0 and 10 by default; SQLite always has one. */
  readonly pool?: { readonly min?: number; readonly max?: number };
}

/** Where the data lives: a connection of ours, or the host's own knex instance (then never closed by us). */
export type DatabaseOption = DatabaseConfig | Knex;

export interface OpenedDatabase {
  readonly knex: Knex;
  /** SQLite in a file: its connections are in threads. */
  readonly threads: SqliteThreads | null;
  readonly dialect: Dialect;
  readonly tablePrefix: string;
  /** False for the host's own knex, which we neither configure nor close. */
  readonly owned: boolean;
}

/**
 * Opens what the option names, without a query.
 * A host's own knex is used through a view of it, so nothing of it changes.
 */
export function openDatabase(option: DatabaseOption, tablePrefix: string, log: Logger): OpenedDatabase {
  if (!/^[a-z][a-z0-9_]{0,19}$/.test(tablePrefix))
    throw new TypeError('tablePrefix: lower-case letters, digits and _, at most 20, starting with a letter');
  if (typeof option === 'function')
    return { knex: viewOf(option), threads: null, dialect: dialectOf(option), tablePrefix, owned: false };
  const logger = knexLogger(log);
  const pool = { min: option.pool?.min ?? 0, max: option.pool?.max ?? 10 };
  const { client } = option;
  switch (client) {
    case 'better-sqlite3':
      if (typeof option.connection === 'function')
        throw new TypeError('database.connection: a file name for SQLite, not a function');
      checkOwnDriver();
      return {
        ...openSqlite(option.connection, logger),
        dialect: sqliteDialect({ owned: true }),
        tablePrefix,
        owned: true,
      };
    case 'pg':
      return {
        knex: openPostgres(option.connection, pool, logger),
        threads: null,
        dialect: postgresDialect({ sendsAhead: isPipelined(option.connection) }),
        tablePrefix,
        owned: true,
      };
    case 'mysql2':
      return {
        knex: openMysql(option.connection, pool, logger),
        threads: null,
        dialect: mysqlDialect({ owned: true }),
        tablePrefix,
        owned: true,
      };
    default:
      throw new TypeError(`database.client: better-sqlite3, pg or mysql2, not ${String(client)}`);
  }
}

/** The dialect of a host's own knex instance, by the family its client belongs to. */
function dialectOf(knex: Knex): Dialect {
  const family: unknown = knex.client.dialect;
  if (family === 'sqlite3') {
    checkDriverOf(knex);
    return sqliteDialect({ owned: false });
  }
  if (family === 'postgresql') {
    const { connection } = knex.client.config as Knex.Config;
    return postgresDialect({ sendsAhead: isPipelined(connection) });
  }
  if (family === 'mysql') return mysqlDialect({ owned: false });
  throw new TypeError(
    `database: a knex instance for SQLite, PostgreSQL, MySQL or MariaDB, not ${String(family)}`,
  );
}

// Same pool, own settings: a host's camelCase mappers would rename our columns,
// its listeners would see our bindings.
function viewOf(knex: Knex): Knex {
  const view = knex.withUserParams({});
  view.client.config = {
    ...view.client.config,
    postProcessResponse: undefined,
    wrapIdentifier: undefined,
    compileSqlOnError: false,
  };
  return view;
}

// Driver warnings may hold SQL and values; they go to the log under our name, never to the console.
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
