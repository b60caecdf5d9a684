import type { Knex } from 'knex';
import createKnex from 'knex';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import { TABLES } from '../../src/database/tables.js';

export type Engine = 'sqlite' | 'postgres' | 'mysql';

/** The engine this run is about: TEST_DATABASE, SQLite unless given. */
export function testEngine(): Engine {
  const name = process.env['TEST_DATABASE'] ?? 'sqlite';
  if (name !== 'sqlite' && name !== 'postgres' && name !== 'mysql') throw new Error(`TEST_DATABASE is sqlite, postgres or mysql, not ${name}`);
  return name;
}

const POSTGRES = process.env['TEST_POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres';
const MYSQL = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306';

/** A database option for the engine of this run: SQLite in memory, else one logical database per jest worker, made on first use. */
export async function testDatabase(purpose = 'test'): Promise<DatabaseConfig> {
  const engine = testEngine();
  if (engine === 'sqlite') return { client: 'better-sqlite3', connection: ':memory:' };
  const name = `affiliate_${purpose}_${process.env['JEST_WORKER_ID'] ?? '1'}`;
  const url = new URL(engine === 'postgres' ? POSTGRES : MYSQL);
  await createLogicalDatabase(engine, url.href, name);
  url.pathname = `/${name}`;
  return { client: engine === 'postgres' ? 'pg' : 'mysql2', connection: url.href, pool: { min: 0, max: 5 } };
}

async function createLogicalDatabase(engine: Engine, url: string, name: string): Promise<void> {
  const admin = createKnex({ client: engine === 'postgres' ? 'pg' : 'mysql2', connection: url, pool: { min: 0, max: 1 } });
  try {
    if (engine === 'mysql') {
      await admin.raw(`create database if not exists \`${name}\` character set utf8mb4 collate utf8mb4_bin`);
    } else if (!(await admin('pg_database').where({ datname: name }).first())) {
      await admin.raw(`create database "${name}"`);
    }
  } finally {
    await admin.destroy();
  }
}

/** Drops every table with the prefix, for tests of the schema itself. */
export async function dropTables(knex: Knex, prefix: string): Promise<void> {
  const engine = engineOf(knex);
  await knex.transaction(async (trx) => {
    if (engine === 'mysql') await trx.raw('set foreign_key_checks = 0');
    if (engine === 'sqlite') await trx.raw('pragma defer_foreign_keys = on');
    for (const table of childrenFirst()) {
      await trx.raw(engine === 'postgres' ? 'drop table if exists ?? cascade' : 'drop table if exists ??', [prefix + table]);
    }
    if (engine === 'mysql') await trx.raw('set foreign_key_checks = 1');
  });
}

/** Deletes the rows of every table and starts the ids at 1 again, so that a test starts clean; keeps the applied schema steps. */
export async function emptyDatabase(knex: Knex, prefix: string): Promise<void> {
  const filled = await filledTables(knex, prefix);
  if (filled.length === 0) return;
  const engine = engineOf(knex);
  await knex.transaction(async (trx) => {
    for (const table of filled) await trx(prefix + table).delete();
    if (engine === 'sqlite') await trx('sqlite_sequence').delete().whereIn('name', filled.map((table) => prefix + table));
    if (engine === 'postgres') await trx.raw(restartSql(filled, prefix));
  });
  if (engine === 'mysql') for (const table of filled) if (WITH_ID.has(table)) await knex.raw('alter table ?? auto_increment = 1', [prefix + table]);
}

type Table = (typeof TABLES)[number];

const KEPT = new Set<Table>(['schema_steps']);
const WITH_ID = new Set<Table>([
  'affiliates', 'referrals', 'customers', 'visits', 'payouts', 'payout_transactions', 'ledger_entries', 'audit', 'meta', 'creatives', 'connected_sites',
  'outbox', 'skipped_conversions', 'host_users', 'provider_deliveries', 'provider_orders', 'import_rows',
]);
// A table stands before those its foreign keys name.
const FIRST: readonly Table[] = [
  'payout_items', 'referrals', 'payout_transactions', 'payouts', 'visits', 'customers', 'creative_affiliates', 'creative_groups', 'creatives', 'coupons',
  'provider_refs', 'provider_orders', 'affiliates', 'meta',
];

function childrenFirst(): Table[] {
  return [...FIRST, ...TABLES.filter((table) => !FIRST.includes(table))];
}

/** One query for all tables: most are empty between tests. */
async function filledTables(knex: Knex, prefix: string): Promise<Table[]> {
  const tables = childrenFirst().filter((table) => !KEPT.has(table));
  const sql = tables.map((table) => `select '${table}' as name where exists (select 1 from ${prefix}${table})`).join(' union all ');
  const answer: unknown = await knex.raw(sql);
  const rows = Array.isArray(answer) ? (Array.isArray(answer[0]) ? answer[0] : answer) : (answer as { rows: unknown[] }).rows;
  const names = new Set((rows as { name: string }[]).map(({ name }) => name));
  return tables.filter((table) => names.has(table));
}

function restartSql(tables: readonly Table[], prefix: string): string {
  const restarts = tables.filter((table) => WITH_ID.has(table)).map((table) => `setval('${prefix}${table}_id_seq', 1, false)`);
  return `select ${restarts.length > 0 ? restarts.join(', ') : '1'}`;
}

function engineOf(knex: Knex): Engine {
  const family: unknown = knex.client.dialect;
  if (family === 'postgresql') return 'postgres';
  return family === 'mysql' ? 'mysql' : 'sqlite';
}
