import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import createKnex, { type Knex } from 'knex';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import { createDatabase, type Database, type DatabaseSetup } from '../../src/platform/database/index.js';
import { planSteps } from '../../src/platform/database/plan.js';
import { applySteps, type SchemaStep } from '../../src/platform/database/migrate.js';
import { STEPS } from '../../src/platform/database/migrations/index.js';
import { TABLES } from '../../adapters/database/tables.js';
import { dropTables, rawRows, testDatabase, testEngine } from '../support/databases.js';
import { temporaryFolder } from '../support/folders.js';
import { metaRow, testLog, type TestLog } from './support.js';

let config: DatabaseConfig;
let log: TestLog;
let database: Database;

beforeEach(async () => {
  config = await testDatabase({ purpose: 'migrate', shared: true });
  log = testLog();
  database = open();
  await dropTables(database.knex, 'fa_');
});
afterEach(() => database.close());

function open(changes: Partial<DatabaseSetup> = {}): Database {
  return createDatabase({
    database: config,
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log,
    ...changes,
  });
}

interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<string>;
}

/** Another process on the same database; resolves with its output, or the signal that ended it. */
function child(orders: object = {}): Child {
  const args = [
    '--no-warnings',
    '--import',
    './test/support/ts-loader.mjs',
    'test/database/child.ts',
    JSON.stringify({ database: config, ...orders }),
  ];
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return {
    process: started,
    ended: new Promise((resolve) => {
      started.on('close', (_code, signal) => {
        resolve(signal ?? output);
      });
    }),
  };
}

/** The tables and indexes there are, as the database lists them. */
async function structure(): Promise<string[]> {
  const sql = {
    sqlite: "select name from sqlite_master where sql is not null and name not like 'sqlite_%'",
    postgres:
      "select indexname as name from pg_indexes where schemaname = 'public' union all select conname " +
      "from pg_constraint where contype in ('f', 'c') and connamespace = 'public'::regnamespace",
    mysql:
      'select concat(table_name, index_name, seq_in_index) as name from information_schema.statistics ' +
      'where table_schema = database() ' +
      'union all select constraint_name from information_schema.referential_constraints ' +
      'where constraint_schema = database()',
  }[testEngine()];
  return (await rawRows(database.knex, sql)).map((row) => String(row['name'])).toSorted();
}

function parts(from: Database): Parameters<typeof applySteps>[1] {
  return { db: from.db, transaction: from.transaction, log, migrate: true };
}

describe('schema steps', () => {
  it('make every table, once', async () => {
    await database.prepare();
    const first = await structure();
    await database.prepare();

    for (const table of TABLES)
      expect(await database.db(table).select('*')).toHaveLength(
        table === 'schema_steps' ? STEPS.length : ['job_leases', 'service_identity'].includes(table) ? 1 : 0,
      );
    expect(await structure()).toEqual(first);
    expect(log.lines.filter(({ message }) => message === 'schema step')).toHaveLength(STEPS.length);
  });

  it('are applied once by two processes that start at once', async () => {
    const [one, two] = [child(), child()];

    expect([await one.ended, await two.ended]).toEqual(['done\n', 'done\n']);
    expect(await database.db('schema_steps').select('id')).toHaveLength(STEPS.length);
  });

  it.each([5, 30])('run again after their process was killed (statement %i)', async (killAfter) => {
    await database.prepare();
    const whole = await structure();
    await dropTables(database.knex, 'fa_');

    expect(await child({ killAfter }).ended).toBe('SIGKILL');
    await freeLease();
    await database.prepare();

    expect(await structure()).toEqual(whole);
  });

  it('wait for a process that is at work and then find nothing left to do', async () => {
    const other = open();
    const step: SchemaStep = {
      id: '900-slow',
      up: async () => {
        await new Promise((resolve) => {
          setTimeout(resolve, 300);
        });
      },
    };
    await database.prepare();
    if (testEngine() === 'sqlite')
      await applySteps([step], parts(database)); // two connections of one process would block each other
    else await Promise.all([applySteps([step], parts(database)), applySteps([step], parts(other))]);
    await applySteps([step], parts(other));

    expect(log.lines.filter(({ fields }) => fields?.['step'] === '900-slow')).toHaveLength(1);
    await other.close();
  });

  it('change a database that an earlier version made, once, and keep its rows', async () => {
    const nickname: SchemaStep = {
      id: '901-nickname',
      up: async ({ column, index }) => {
        await column('meta', 'nickname', "varchar(50) not null default 'none'");
        await index('meta', ['nickname', 'id']);
      },
    };
    await database.prepare();
    await database.db('meta').insert(metaRow('group'));
    const first = await structure();

    await expect(applySteps([...STEPS, nickname], { ...parts(database), migrate: false })).rejects.toThrow(
      '(missing: 901-nickname)',
    );
    await applySteps([...STEPS, nickname], parts(database));
    await applySteps([...STEPS, nickname], parts(database));
    await database.prepare(); // a process of the earlier version goes on with the newer schema

    expect(log.lines.filter(({ fields }) => fields?.['step'] === '901-nickname')).toHaveLength(1);
    expect(await database.db('meta').select('name_key', 'nickname')).toEqual([
      { name_key: metaRow('group').name_key, nickname: 'none' },
    ]);
    expect((await structure()).filter((name) => !first.includes(name)).join()).toMatch(/nickname/);
  });

  it('are planned without a change: what each does, to how many rows, and whether it locks them', async () => {
    const renamed: SchemaStep = {
      id: '901-renamed',
      up: async ({ column, index, create, db, name }) => {
        await create('works', () => {
          throw new Error('nothing is built');
        });
        await column('meta', 'nickname', "varchar(50) not null default 'none'");
        await index('meta', ['nickname', 'id']);
        await db.execute(`update ${name('meta')} set nickname = 'some' where id > 0`);
      },
    };
    expect((await planSteps(STEPS, database.db)).map(({ id }) => id)).toEqual(STEPS.map(({ id }) => id));
    expect(await structure()).toEqual([]);

    await database.prepare();
    await database.db('meta').insert(metaRow('group'));
    const first = await structure();
    const writes = testEngine() === 'mysql' ? 'nothing' : 'writes';
    expect(await planSteps([...STEPS, renamed], database.db)).toEqual([
      {
        id: '901-renamed',
        changes: [
          { does: 'create table', table: 'fa_works', rows: 0, locks: 'nothing' },
          { does: 'add column nickname', table: 'fa_meta', rows: 1, locks: 'nothing' },
          { does: 'create index (nickname, id)', table: 'fa_meta', rows: 1, locks: writes },
          { does: 'update fa_meta', table: null, rows: 0, locks: 'writes' },
        ],
      },
    ]);
    expect(await structure()).toEqual(first);
    expect(await planSteps(STEPS, database.db)).toEqual([]);
  });

  it('are demanded, not applied, with migrate: false', async () => {
    const strict = open({ migrate: false });
    await expect(strict.prepare()).rejects.toThrow(
      /older than this version \(missing: 001-initial[^)]*\)\. Run `await createAffiliateService/,
    );
    expect(await structure()).toEqual([]);

    await database.prepare();
    await strict.prepare();
    await strict.close();
  });

  // A killed process leaves its lease; a minute later anyone may take it.
  async function freeLease(): Promise<void> {
    if (await database.knex.schema.hasTable('fa_job_leases'))
      await database.db('job_leases').update({ expires_at: 1 });
  }
});

describe('several processes on one database', () => {
  it('lose no locked read-and-write', async () => {
    await database.prepare();
    await database.db('meta').insert(metaRow('counter'));

    expect(await Promise.all([1, 2, 3].map(() => child({ count: 60 }).ended))).toEqual([
      'done\n',
      'done\n',
      'done\n',
    ]);

    const row = (await database.db('meta').first('object_id')) as { object_id: string };
    expect(Number(row.object_id)).toBe(180);
  });
});

describe('settings that lose writes', () => {
  const knexes: Knex[] = [];
  afterEach(() => Promise.all(knexes.splice(0).map((knex) => knex.destroy())));

  const onFile = testEngine() === 'sqlite' ? it : ((() => undefined) as unknown as typeof it);

  it('are not found on a usual server', async () => {
    const strict = open({ durability: 'strict' });

    await strict.prepare();

    expect(
      log.lines.filter(
        ({ level, message }) =>
          level === 'warn' &&
          !message.startsWith('A new, empty program') &&
          message !== 'A transaction took long.', // a new schema on a busy machine
      ),
    ).toEqual([]);
    await strict.close();
  });

  /** A file that the host opens itself, with a setting of its own. */
  function hostsKnex(file: string, ...settings: readonly string[]): Knex {
    const knex = createKnex({
      client: 'better-sqlite3',
      connection: { filename: file },
      useNullAsDefault: true,
      pool: {
        afterCreate: (
          connection: { pragma(text: string): unknown },
          done: (error: unknown, connection: unknown) => void,
        ) => {
          for (const setting of settings) connection.pragma(setting);
          done(null, connection);
        },
      },
    });
    knexes.push(knex);
    return knex;
  }

  onFile('are logged, or refused when asked to be strict', async () => {
    const file = join(temporaryFolder(), 'relaxed.sqlite');
    await open({ database: hostsKnex(file, 'synchronous = normal') }).prepare();
    expect(log.lines).toContainEqual({
      level: 'warn',
      message: 'database setting may lose acknowledged writes',
      fields: { setting: 'synchronous is below FULL' },
    });

    const strict = open({ database: hostsKnex(file, 'synchronous = normal'), durability: 'strict' });
    await expect(strict.prepare()).rejects.toThrow(/synchronous is below FULL/);

    const loose = open({ database: hostsKnex(file, 'foreign_keys = off') });
    await expect(loose.prepare()).rejects.toThrow(/foreign_keys is off/);
  });

  onFile('are a file that this process may not write', async () => {
    const unwritable = '/proc/sys/kernel/ostype'; // on Linux not even by root
    const own = open({ database: { client: 'better-sqlite3', connection: unwritable } });
    await expect(own.prepare()).rejects.toThrow(/may not write the file/);
    await own.close();
  });
});
