// `npm run bench`: what the service costs a host. SQLite always; PostgreSQL and MySQL/MariaDB when BENCH_POSTGRES_URL, BENCH_MYSQL_URL
// name a server (a database is made there and dropped again). BENCH_SECONDS (8) and BENCH_CONNECTIONS (64) per measurement.
// Host and load run in processes of their own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';
import { machine, report } from './report.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 8);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64);
const folder = mkdtempSync(join(tmpdir(), 'affiliate-bench-'));
const facts = machine();
const SCENARIOS = ['bare', 'known', 'click', 'conversion', 'read'];

const engines = [{ name: 'SQLite file', database: { client: 'better-sqlite3', connection: join(folder, 'bench.sqlite') } }];
if (process.env.BENCH_POSTGRES_URL) engines.push(await logicalDatabase('PostgreSQL', 'pg', process.env.BENCH_POSTGRES_URL));
if (process.env.BENCH_MYSQL_URL) engines.push(await logicalDatabase('MariaDB/MySQL', 'mysql2', process.env.BENCH_MYSQL_URL));

const measured = [];
for (const engine of engines) {
  try {
    measured.push(await measure(engine));
  } finally {
    await engine.drop?.();
  }
}
rmSync(folder, { recursive: true });
const text = report({ facts, seconds, connections, measured });
writeFileSync(new URL('RESULTS.md', import.meta.url), text);
console.log(`\n${text}`);
process.exitCode = measured.every(({ problems }) => problems.length === 0) ? 0 : 1;

async function measure({ name, database }) {
  const server = fork(new URL('server.mjs', import.meta.url), { serialization: 'advanced' });
  server.send({ database });
  const [{ version, ...host }] = await once(server, 'message');
  const rows = [];
  for (const scenario of SCENARIOS) {
    const load = fork(new URL('load.mjs', import.meta.url), { serialization: 'advanced' });
    load.send({ scenario, ...host, seconds, connections });
    const [row] = await once(load, 'message');
    rows.push({ scenario, ...row });
    console.log(`${name}: ${scenario} ${Math.round(row.rate)}/s p50 ${row.p50} ms p99 ${row.p99} ms${row.wrong ? `, ${row.wrong} wrong answers` : ''}`);
  }
  server.send('end');
  const [books] = await once(server, 'message');
  return { name, version, rows, books, problems: problemsOf(rows, books) };
}

/** What was answered must be stored: figures without that would measure something else. */
function problemsOf(rows, books) {
  const sent = (scenario) => rows.find((row) => row.scenario === scenario)?.answered ?? 0;
  return [
    ...rows.filter(({ wrong }) => wrong > 0).map(({ scenario, wrong }) => `${scenario}: ${wrong} wrong answers`),
    ...(books.visits < sent('click') ? [`${sent('click')} clicks answered, ${books.visits} stored`] : []),
    ...(books.referrals < sent('conversion') ? [`${sent('conversion')} conversions answered, ${books.referrals} stored`] : []),
    ...books.violations,
  ];
}

async function logicalDatabase(name, client, url) {
  const database = `affiliate_bench_${process.pid}`;
  const admin = async (sql) => {
    const knex = createKnex({ client, connection: url, pool: { min: 0, max: 1 } });
    try {
      await knex.raw(sql, [database]);
    } finally {
      await knex.destroy();
    }
  };
  await admin(client === 'pg' ? "create database ?? encoding 'UTF8' template template0" : 'create database ?? character set utf8mb4');
  const connection = new URL(url);
  connection.pathname = `/${database}`;
  return { name, database: { client, connection: connection.href, pool: { min: 0, max: 20 } }, drop: () => admin('drop database ??') };
}
