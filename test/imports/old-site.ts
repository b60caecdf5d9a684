import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex, { type Knex } from 'knex';
import { openSource, type SourceConnection } from '../../adapters/database/source.js';

/** `id` is the key; `latin1` is text in a column of that character set where the engine has one. */
export type Kind = 'id' | 'int' | 'text' | 'str' | 'latin1' | 'double' | 'date';
export type OldRow = Record<string, string | number | null>;

export interface Size {
  readonly affiliates: number;
  readonly referrals: number;
  readonly visits: number;
}

/** The database of an old site while it is built. */
export interface OldSite {
  readonly size: Size;
  random(): number;
  /** A whole number from 1 to `max`. */
  pick(max: number): number;
  table(name: string, columns: Readonly<Record<string, Kind>>): Promise<void>;
  insert(name: string, rows: Iterable<OldRow>): Promise<void>;
}

export interface BuiltSite {
  readonly engine: 'sqlite' | 'mysql';
  /** For `openSource`, and for processes of their own. */
  readonly connection: SourceConnection;
  /** The read-only view an import has. */
  readonly knex: Knex;
  drop(): Promise<void>;
}

const CHUNK = 200;
export const DAY = 86_400_000;
export const PREFIX = 'wp_';
export const GONE = 999_999; // an id nobody has
export const MYSQL = 'mysql://root@127.0.0.1:3306';

export async function mysqlReachable(): Promise<boolean> {
  const admin = createKnex({
    client: 'mysql2',
    connection: MYSQL,
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: 2000,
  });
  try {
    await admin.raw('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await admin.destroy();
  }
}

/** Builds the old site in a new SQLite file or MariaDB database. */
export async function buildSite(
  engine: BuiltSite['engine'],
  name: string,
  size: Size,
  fill: (site: OldSite) => Promise<void>,
): Promise<BuiltSite> {
  const { writer, connection, ...opened } =
    engine === 'mysql' ? await newMysql(`migration_src_${name}`) : newSqlite();
  await writeSite(writer, engine, size, fill);
  await writer.destroy();
  const knex = openSource(connection);
  return {
    engine,
    connection,
    knex,
    drop: async () => {
      await knex.destroy();
      await opened.drop();
    },
  };
}

interface Opened {
  readonly writer: Knex;
  readonly connection: SourceConnection;
  drop(): Promise<void>;
}

function newSqlite(): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'migration-src-'));
  const filename = join(folder, 'old.sqlite');
  const writer = createKnex({
    client: 'better-sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  return {
    writer,
    connection: { client: 'better-sqlite3', connection: filename },
    drop: async () => {
      rmSync(folder, { recursive: true });
    },
  };
}

async function newMysql(name: string): Promise<Opened> {
  const admin = createKnex({ client: 'mysql2', connection: MYSQL, pool: { min: 0, max: 1 } });
  await admin.raw('drop database if exists ??', [name]);
  await admin.raw('create database ?? character set utf8mb4', [name]);
  const afterCreate = (
    raw: { query(sql: string, done: (error: unknown) => void): void },
    done: (error: unknown, raw: unknown) => void,
  ): void => {
    // as old sites run: zero dates are allowed
    raw.query("set session sql_mode = ''", (error) => done(error, raw));
  };
  const writer = createKnex({
    client: 'mysql2',
    connection: `${MYSQL}/${name}?charset=utf8mb4`,
    pool: { min: 0, max: 1, afterCreate },
  });
  return {
    writer,
    connection: { client: 'mysql2', connection: `${MYSQL}/${name}` },
    drop: async () => {
      await admin.raw('drop database if exists ??', [name]);
      await admin.destroy();
    },
  };
}

async function writeSite(
  knex: Knex,
  engine: BuiltSite['engine'],
  size: Size,
  fill: (site: OldSite) => Promise<void>,
): Promise<void> {
  let seed = 42;
  const random = (): number => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const site: OldSite = {
    size,
    random,
    pick: (max) => 1 + Math.floor(random() * max),
    table: (name, columns) =>
      knex.schema.createTable(PREFIX + name, (t) => {
        for (const [column, kind] of Object.entries(columns)) addColumn(t, column, kind, engine);
      }),
    insert: async (name, rows) => {
      let chunk: OldRow[] = [];
      for (const row of rows) {
        chunk.push(row);
        if (chunk.length === CHUNK) {
          await knex(PREFIX + name).insert(chunk);
          chunk = [];
        }
      }
      if (chunk.length > 0) await knex(PREFIX + name).insert(chunk);
    },
  };
  await fill(site);
}

function addColumn(t: Knex.CreateTableBuilder, column: string, kind: Kind, engine: string): void {
  if (kind === 'id') t.bigIncrements(column);
  else if (kind === 'int') t.bigInteger(column).index();
  else if (kind === 'double') t.double(column);
  else if (kind === 'date') t.specificType(column, engine === 'mysql' ? 'datetime' : 'text');
  else if (kind === 'latin1' && engine === 'mysql') t.specificType(column, 'text character set latin1');
  else if (kind === 'str') t.string(column, 255);
  else t.text(column);
}

export const at = (n: number): string =>
  new Date(Date.UTC(2023, 0, 1) + n * 1_234_567).toISOString().slice(0, 19).replace('T', ' ');
export const NO_DATE = '0000-00-00 00:00:00';
/** An amount with the noise of stored floats. */
export const noisy = (cents: number): number => cents / 100 + (cents % 7) * 1e-11;
export const PHP_PRODUCTS = 'a:1:{i:0;a:2:{s:4:"name";s:6:"Café";s:5:"price";d:12.5;}}';
export const PHP_HOSTILE = 'O:8:"stdClass":1:{s:3:"cmd";s:8:"rm -rf /";}';
export const MOJIBAKE = 'Commande de JosÃ©';

export function* times<T>(n: number, make: (n: number) => T): Generator<T> {
  for (let i = 1; i <= n; i++) yield make(i);
}

/**
 * Users of a WordPress site: the first three exist in the host too, every 40th affiliate's account is gone,
 * and the last affiliate shares the account of the first.
 */
export async function addUsers(site: OldSite): Promise<void> {
  await site.table('users', {
    ID: 'id',
    user_login: 'str',
    user_email: 'str',
    user_registered: 'date',
    display_name: 'str',
  });
  await site.table('usermeta', { umeta_id: 'id', user_id: 'int', meta_key: 'str', meta_value: 'text' });
  await site.table('options', { option_id: 'id', option_name: 'str', option_value: 'text' });
  await site.insert('options', [
    { option_name: 'timezone_string', option_value: 'UTC' },
    { option_name: 'woocommerce_currency', option_value: 'USD' },
    { option_name: 'wpam_affcurrency_code', option_value: 'USD' },
    { option_name: 'slicewp_settings', option_value: 'a:1:{s:15:"active_currency";s:3:"USD";}' },
    { option_name: '_fa_referral_settings', option_value: 'a:1:{s:8:"currency";s:3:"USD";}' },
  ]);
  const names = ['alice', 'bob', 'carol'];
  await site.insert(
    'users',
    times(site.size.affiliates, (n) => ({
      user_login: names[n - 1] ?? `user${n}`,
      user_email: names[n - 1] ? `${names[n - 1]?.toUpperCase()}@shop.test` : `user${n}@old.test`,
      user_registered: at(n),
      display_name: `User ${n}`,
    })),
  );
  await site.insert(
    'usermeta',
    times(site.size.affiliates * 2, (n) => ({
      user_id: Math.ceil(n / 2),
      meta_key: n % 2 ? 'first_name' : 'last_name',
      meta_value: n % 2 ? `First ${n}` : `Last ${n}`,
    })),
  );
}

export const userOf = (n: number, size: Size): number =>
  n % 40 === 0 ? GONE : n === size.affiliates ? 1 : n;
/** Every 50th row points at an affiliate that was deleted. */
export const affiliateOf = (n: number, site: OldSite): number =>
  n % 50 === 0 ? GONE : site.pick(site.size.affiliates);
