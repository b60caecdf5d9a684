// Runs the jest suite on PostgreSQL and MySQL/MariaDB, or on those named:
// `node test/support/run-databases.mjs mysql [jest arguments]`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';

const RUN = String(process.pid);
const ENGINES = {
  postgres: {
    client: 'pg',
    url: process.env.TEST_POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/postgres',
    service: 'postgresql',
    installed: () => existsSync('/etc/init.d/postgresql'),
    missing: 'apt-get install postgresql, or set TEST_POSTGRES_URL',
    list: `select datname as name from pg_database where datname like 'affiliate\\_${RUN}\\_%'`,
  },
  mysql: {
    client: 'mysql2',
    url: process.env.TEST_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306',
    service: 'mariadb',
    installed: () => existsSync('/etc/init.d/mariadb') || existsSync('/etc/init.d/mysql'),
    missing: 'apt-get install mariadb-server, or set TEST_MYSQL_URL',
    list: `select schema_name as name from information_schema.schemata where schema_name like 'affiliate\\_${RUN}\\_%'`,
  },
  sqlite: null,
};

// These tests use no server; the run on SQLite has them.
const ALONE =
  '/test/(browser|core|recipe|records|release|types)/|/test/(architecture|cli|docs|hooks-types|host-docs|openapi|package|portal-texts)\\.';

// Status codes, permissions and HTML don't depend on the server, so one server runs these tests: MySQL/MariaDB.
const ON_ONE_SERVER = '/test/(access|adapters|bridges|console|http)/|/test/(every-route|query-values)\\.';

const args = process.argv.slice(2);
const named = args.filter((arg) => arg in ENGINES);
const jestArgs = args.filter((arg) => !(arg in ENGINES));
let failed = false;

for (const engine of named.length > 0 ? named : ['postgres', 'mysql']) {
  if (!(await isReady(engine))) {
    console.error(`${engine}: not reachable and could not be started (${ENGINES[engine].missing})`);
    failed = true;
    continue;
  }
  const counts = await runJest(engine);
  console.log(`${engine}: ${counts.text}`);
  failed ||= !counts.success;
  await dropDatabases(engine);
}
process.exitCode = failed ? 1 : 0;

/** True when the server answers; a Debian service that is installed but stopped is started first. */
async function isReady(engine) {
  const settings = ENGINES[engine];
  if (settings === null || (await answers(settings))) return true;
  if (!settings.installed()) return false;
  console.log(`${engine}: starting the service ${settings.service}`);
  spawnSync('service', [settings.service, 'start'], { stdio: 'ignore' });
  for (let attempt = 0; attempt < 30; attempt += 1) {
    if (await answers(settings)) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
  }
  return false;
}

async function answers(settings) {
  try {
    await withAdmin(settings, (knex) => knex.raw('select 1'));
    return true;
  } catch {
    return false;
  }
}

async function withAdmin({ client, url }, work) {
  const knex = createKnex({
    client,
    connection: url,
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: 5000,
  });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
}

/** Runs jest with its own output and reads the counts from its report. */
async function runJest(engine) {
  const report = join(tmpdir(), `affiliate-${RUN}-${engine}.json`);
  const command = [
    '--no-warnings',
    '--import',
    './test/support/ts-loader.mjs',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${report}`,
    ...(jestArgs.length > 0
      ? jestArgs
      : [
          '--testPathIgnorePatterns',
          '/node_modules/',
          ALONE,
          ...(engine === 'postgres' ? [ON_ONE_SERVER] : []),
        ]),
  ];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TEST_DATABASE: engine, TEST_RUN: RUN },
  });
  const code = await new Promise((resolve) => {
    child.on('exit', resolve);
  });
  if (!existsSync(report)) return { success: false, text: `jest ended with ${code} and no report` };
  const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, success } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  rmSync(report);
  return {
    success: success && code === 0,
    text:
      `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped, ` +
      `${numFailedTestSuites} failed files`,
  };
}

async function dropDatabases(engine) {
  const settings = ENGINES[engine];
  if (settings === null) return;
  await withAdmin(settings, async (knex) => {
    const answer = await knex.raw(settings.list);
    for (const { name } of answer.rows ?? answer[0]) await knex.raw('drop database ??', [name]);
  });
}
