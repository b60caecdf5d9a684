import { readFileSync } from 'node:fs';
import createKnex, { type Knex } from 'knex';
import { openSource } from '../../adapters/database/source.js';
import { temporaryFolder } from '../support/folders.js';
import { join } from 'node:path';
import { MYSQL, type BuiltSite } from './old-site.js';

/** Databases that the real systems wrote; a README of theirs is docs/moving-in.md. */
export type DumpName =
  | 'affiliates-manager-2026'
  | 'affiliatewp-1.8'
  | 'affiliatewp-2.8.2'
  | 'fluent-affiliate-1.6.5'
  | 'slicewp-1.2.10'
  | 'solid-affiliate'
  | 'ultimate-affiliate';

const textOf = (name: DumpName): string =>
  readFileSync(new URL(`fixtures/${name}.sql`, import.meta.url), 'utf8');

/** Loads a dump into MariaDB as it stands, or into a SQLite file with its values as text and numbers. */
export async function loadDump(engine: BuiltSite['engine'], name: DumpName): Promise<BuiltSite> {
  return engine === 'mysql' ? intoMysql(name) : intoSqlite(name);
}

async function intoMysql(name: DumpName): Promise<BuiltSite> {
  const run = `${process.env['TEST_RUN'] ?? 'dev'}_${process.env['JEST_WORKER_ID'] ?? '1'}`;
  const database = `dump_${name.replaceAll(/\W/gu, '_')}_${run}`;
  const admin = createKnex({
    client: 'mysql2',
    connection: { uri: MYSQL, multipleStatements: true, charset: 'utf8mb4' } as never,
    pool: { min: 0, max: 1 },
  });
  await admin.raw(`drop database if exists ${database}; create database ${database} character set utf8mb4`);
  await admin.raw(`use ${database}; set session sql_mode = ''`);
  await admin.raw(textOf(name).replaceAll('?', '\\?'));
  const connection = { client: 'mysql2', connection: `${MYSQL}/${database}` } as const;
  const knex = openSource(connection);
  return {
    engine: 'mysql',
    connection,
    knex,
    drop: async () => {
      await knex.destroy();
      await admin.raw(`drop database if exists ${database}`);
      await admin.destroy();
    },
  };
}

async function intoSqlite(name: DumpName): Promise<BuiltSite> {
  const filename = join(temporaryFolder(), `${name}.sqlite`);
  const writer: Knex = createKnex({
    client: 'better-sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  for (const statement of statementsOf(textOf(name))) {
    const created = /^CREATE TABLE `(\w+)` \(\n([\s\S]*)\n\)/u.exec(statement);
    if (created) {
      const columns = [...(created[2] ?? '').matchAll(/^ {2}`(\w+)` (\w+)/gmu)].map(
        ([, column, type]) =>
          `"${column}" ${/int|decimal|double|float/u.test(type ?? '') ? 'numeric' : 'text'}`,
      );
      await writer.raw(`create table "${created[1]}" (${columns.join(', ')})`);
    }
    const inserted = /^INSERT INTO `(\w+)` VALUES \(([\s\S]*)\)$/u.exec(statement);
    if (inserted) {
      const values = valuesOf(inserted[2] ?? '');
      await writer.raw(
        `insert into "${inserted[1]}" values (${values.map(() => '?').join(', ')})`,
        values as never,
      );
    }
  }
  await writer.destroy();
  const connection = { client: 'better-sqlite3', connection: filename } as const;
  const knex = openSource(connection);
  return { engine: 'sqlite', connection, knex, drop: () => knex.destroy() };
}

const statementsOf = (dump: string): string[] =>
  dump
    .replaceAll(/^\/\*.*\*\/;? ?$/gmu, '')
    .split(/;\n/u)
    .map((statement) => statement.trim());

/** The values of one row: numbers, NULL and texts with MySQL's escapes. */
function valuesOf(list: string): (string | number | null)[] {
  const values: (string | number | null)[] = [];
  for (const [, text, plain] of list.matchAll(/'((?:[^'\\]|\\[\s\S]|'')*)'|([^,]+)/gu)) {
    if (text !== undefined)
      values.push(
        text.replaceAll(/\\([\s\S])|''/gu, (_all, char?: string) =>
          char === undefined ? "'" : ({ n: '\n', r: '\r', t: '\t', 0: '\0' }[char] ?? char),
        ),
      );
    else values.push(plain === 'NULL' ? null : Number(plain));
  }
  return values;
}
