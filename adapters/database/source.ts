import createKnex, { type Knex } from 'knex';
import { checkOwnDriver } from './sqlite-driver.js';

export type SourceConnection =
  | string
  | {
      readonly client: 'mysql2' | 'better-sqlite3' | 'pg';
      readonly connection: string | Readonly<Record<string, unknown>>;
    };

// A refused connection is an error of the call, whereas the driver's own report is a stack.
const QUIET = { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} };

interface RawConnection {
  query(sql: string, done: (error: unknown) => void): void;
}

/**
 * Opens the database of an old site for an import. It is read only, and reads times as text (a zero date has
 * no other form) and text as utf8mb4, for tables of any charset. Close it with `destroy()`.
 */
export function openSource(source: SourceConnection): Knex {
  const { client, connection } = typeof source === 'string' ? connectionOf(source) : source;
  if (client === 'better-sqlite3') {
    checkOwnDriver();
    const settings = typeof connection === 'string' ? { filename: connection } : connection;
    return createKnex({
      client,
      connection: { ...settings, options: { readonly: true, fileMustExist: true } } as never,
      useNullAsDefault: true,
      pool: { min: 1, max: 1 },
    });
  }
  if (client === 'pg')
    return createKnex({ client, connection: connection as never, pool: { min: 0, max: 2 } });
  const given = typeof connection === 'string' ? { uri: connection } : connection;
  const afterCreate = (raw: RawConnection, done: (error: unknown, raw: RawConnection) => void): void => {
    raw.query('set session transaction read only', (error) => {
      done(error, raw);
    });
  };
  return createKnex({
    client,
    connection: {
      ...given,
      charset: 'utf8mb4',
      dateStrings: true,
      supportBigNumbers: true,
      multipleStatements: false,
    } as never,
    pool: { min: 0, max: 2, afterCreate },
    log: QUIET,
  });
}

/** The engine and the connection that an address names; one without scheme is a file of SQLite. */
export function connectionOf(url: string): {
  readonly client: 'mysql2' | 'better-sqlite3' | 'pg';
  readonly connection: string;
} {
  if (/^(?:mysql|mariadb):/u.test(url))
    return { client: 'mysql2', connection: url.replace(/^mariadb:/u, 'mysql:') };
  if (/^postgres(?:ql)?:/u.test(url)) return { client: 'pg', connection: url };
  return { client: 'better-sqlite3', connection: url.replace(/^sqlite:(?:\/\/)?/u, '') };
}

/** Opens a file of SQLite a second time, for reading only. */
export const openFile = (filename: string): Knex =>
  openSource({ client: 'better-sqlite3', connection: filename });
