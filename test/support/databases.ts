import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import createKnex from 'knex';
import type { DatabaseConfig, DatabaseOption } from '../../adapters/database/open.js';
import { createDatabase } from '../../src/platform/database/index.js';
import { TABLES } from '../../adapters/database/tables.js';
import { temporaryFolder } from './folders.js';

export type Engine = 'sqlite' | 'postgres' | 'mysql';

/** The engine this run is about: TEST_DATABASE, SQLite unless given. */
export function testEngine(): Engine {
  const name = process.env['TEST_DATABASE'] ?? 'sqlite';
  if (name !== 'sqlite' && name !== 'postgres' && name !== 'mysql')
    throw new Error(`TEST_DATABASE is sqlite, postgres or mysql, not ${name}`);
  return name;
}

export interface TestDatabaseOptions {
  /** For tests that need a database of their own. */
  readonly purpose?: string;
  /**
   * Several services or processes on one database: on SQLite a new file instead of one in
   * memory, as with TEST_SQLITE=file.
   */
  readonly shared?: boolean;
}

const SERVERS = {
  postgres: process.env['TEST_POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres',
  mysql: process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306',
};

const sqlitePath = (shared: boolean): string =>
  shared || process.env['TEST_SQLITE'] === 'file' ? join(temporaryFolder(), 'test.sqlite') : ':memory:';

/**
 * A database option for the engine of this run: SQLite in memory, else one logical database per
 * jest worker, made on first use.
 */
export async function testDatabase({ purpose = 'test', shared = false }: TestDatabaseOptions = {}): Promise<
  DatabaseConfig & { readonly connection: string }
> {
  const engine = testEngine();
  if (engine === 'sqlite') return { client: 'better-sqlite3', connection: sqlitePath(shared) };
  const url = new URL(SERVERS[engine]);
  const { TEST_RUN: run = 'dev', JEST_WORKER_ID: id = '1' } = process.env;
  const worker = `affiliate_${run}_${purpose}_${id}`;
  const made = logicalDatabases.get(worker) ?? createLogicalDatabase(engine, url.href, worker);
  logicalDatabases.set(worker, made);
  url.pathname = `/${await made}`;
  return { client: engine === 'postgres' ? 'pg' : 'mysql2', connection: url.href, pool: { min: 0, max: 5 } };
}

/** The same database over a driver that sends a statement only when the one before was answered. */
export const oneByOne = (config: DatabaseConfig & { readonly connection: string }): DatabaseConfig =>
  config.client === 'pg'
    ? { ...config, connection: { connectionString: config.connection, pipeline: false } }
    : config;

const logicalDatabases = new Map<string, Promise<string>>();
let schema: Promise<Buffer> | undefined;

/**
 * The same for a service that brings its schema up to date: in memory it begins with a copy of the schema,
 * which a process of tests makes once.
 */
export async function preparedDatabase(): Promise<DatabaseConfig> {
  const config = await testDatabase();
  if (config.connection !== ':memory:') return config;
  schema ??= makeSchema(config);
  return { ...config, connection: { filename: await schema } };
}

/** Whether it is a copy of the schema in memory, which nothing was stored in before. */
export function isCopyInMemory(database: DatabaseOption): boolean {
  if (typeof database === 'function' || !('client' in database)) return false;
  const { connection } = database;
  return typeof connection === 'object' && Buffer.isBuffer(connection['filename']);
}

/** Whether a row of any table with ids was ever stored in this copy. */
export const hasGivenIds = async (knex: Knex): Promise<boolean> =>
  (await rawRows(knex, COUNTERS.sqlite)).length > 0;

async function makeSchema(config: DatabaseConfig): Promise<Buffer> {
  const file = join(temporaryFolder(), 'schema.sqlite');
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const database = createDatabase({
    database: config,
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log,
  });
  await database.prepare();
  await database.knex.raw('vacuum into ?', [file]);
  await database.close();
  return readFileSync(file);
}

/**
 * Changes with the schema's sources, so that a database kept from an earlier run is
 * not taken for a current one.
 */
function schemaVersion(): string {
  const steps = new URL('../../src/platform/database/migrations/', import.meta.url);
  const sources = [
    ...readdirSync(steps).map((file) => new URL(file, steps)),
    ...['schema-tools.ts', 'migrate.ts'].map((file) => new URL(`../${file}`, steps)),
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  return hash.digest('hex').slice(0, 8);
}

/** Answers its name. Also drops what this worker left behind for an earlier schema. */
async function createLogicalDatabase(engine: Engine, url: string, worker: string): Promise<string> {
  const name = `${worker}_${schemaVersion()}`;
  const admin = createKnex({
    client: engine === 'postgres' ? 'pg' : 'mysql2',
    connection: url,
    pool: { min: 0, max: 1 },
  });
  try {
    const list =
      engine === 'mysql'
        ? 'select schema_name as name from information_schema.schemata'
        : 'select datname as name from pg_database';
    const known = (await rawRows(admin, list))
      .map((row) => String(row['name']))
      .filter((other) => other.startsWith(`${worker}_`));
    if (known.includes(name)) return name;
    for (const stale of known) await admin.raw('drop database if exists ??', [stale]);
    if (engine === 'mysql') {
      await admin.raw('create database if not exists ?? character set utf8mb4', [name]);
    } else {
      // byte order on every machine: the sorting of a server's own locale differs
      await admin.raw(
        "create database ?? encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8' template template0",
        [name],
      );
    }
    return name;
  } finally {
    await admin.destroy();
  }
}

type Table = (typeof TABLES)[number];

const KEPT = new Set<Table>(['schema_steps', 'service_identity']);
// A table stands before those its foreign keys name.
const FIRST: readonly Table[] = [
  'fraud_events',
  'redirect_links',
  'affiliate_marks',
  'affiliate_names',
  'payout_items',
  'payout_payees',
  'payout_payee_forms',
  'commission_notes',
  'referrals',
  'payout_transactions',
  'payouts',
  'visits',
  'customer_names',
  'waiting_names',
  'customers_apart',
  'customers',
  'creative_affiliates',
  'creative_groups',
  'creatives',
  'coupons',
  'order_refs',
  'order_facts',
  'orders',
  'affiliates',
  'meta',
];

const childrenFirst = (): Table[] => [...FIRST, ...TABLES.filter((table) => !FIRST.includes(table))];

/**
 * Deletes the rows of every table and starts all ids at 1 again, so that a test starts clean;
 * keeps the applied schema steps.
 */
export async function emptyDatabase(knex: Knex, prefix: string): Promise<void> {
  const filled = await filledTables(knex, prefix);
  if (filled.length > 0) {
    await knex.transaction(async (trx) => {
      if (filled.includes('referrals')) await trx(`${prefix}referrals`).update({ parent_id: null });
      for (const table of filled) await trx(prefix + table).delete();
    });
  }
  const counted = await countedTables(knex, prefix);
  const restarts = RESTARTS[engineOf(knex)](counted.map((table) => prefix + table));
  await Promise.all(restarts.map((restart) => knex.raw(...restart)));
}

// Also tables that are empty: a row that was taken back has used its number up.
const COUNTERS: Readonly<Record<Engine, string>> = {
  sqlite: 'select name from sqlite_sequence where seq > 0',
  // all: a counter that a restore has moved on, and that nothing took a number of yet, cannot be told from a new one
  postgres:
    "select regexp_replace(sequencename, '_id_seq$', '') as name from pg_sequences where schemaname = current_schema()",
  mysql:
    'select table_name as name from information_schema.tables where table_schema = database() and auto_increment > 1',
};
type Statement = [sql: string, bindings: string[]];
const RESTARTS: Readonly<Record<Engine, (tables: readonly string[]) => Statement[]>> = {
  sqlite: (tables) => tables.map((table) => ['delete from sqlite_sequence where name = ?', [table]]),
  postgres: (tables) =>
    tables.length === 0
      ? []
      : [
          [
            `select ${tables.map(() => 'setval(?, 1, false)').join(', ')}`,
            tables.map((table) => `${table}_id_seq`),
          ],
        ],
  // it writes to its disk for each: at once they share that
  mysql: (tables) => tables.map((table) => ['alter table ?? auto_increment = 1', [table]]),
};

async function countedTables(knex: Knex, prefix: string): Promise<Table[]> {
  const names = new Set((await rawRows(knex, COUNTERS[engineOf(knex)])).map((row) => row['name']));
  return TABLES.filter((table) => !KEPT.has(table) && names.has(prefix + table));
}

/** One query for all tables: most are empty between tests. */
async function filledTables(knex: Knex, prefix: string): Promise<Table[]> {
  const tables = childrenFirst().filter((table) => !KEPT.has(table));
  const sql = tables
    .map((table) => `select '${table}' as name where exists (select 1 from ${prefix}${table})`)
    .join(' union all ');
  const names = new Set((await rawRows(knex, sql)).map((row) => row['name']));
  return tables.filter((table) => names.has(table));
}

/** Drops every table with the prefix, for tests of the schema itself. */
export async function dropTables(knex: Knex, prefix: string): Promise<void> {
  const suffix = engineOf(knex) === 'postgres' ? ' cascade' : '';
  for (const table of childrenFirst()) await knex.raw(`drop table if exists ??${suffix}`, [prefix + table]);
}

/** The rows of a raw statement on any engine. */
export async function rawRows(knex: Knex, sql: string): Promise<Record<string, unknown>[]> {
  const answer: unknown = await knex.raw(sql);
  const rows: unknown = Array.isArray(answer)
    ? Array.isArray(answer[0])
      ? answer[0]
      : answer
    : (answer as { rows: unknown }).rows;
  return rows as Record<string, unknown>[];
}

function engineOf(knex: Knex): Engine {
  const family: unknown = knex.client.dialect;
  if (family === 'postgresql') return 'postgres';
  return family === 'mysql' ? 'mysql' : 'sqlite';
}
