// A large old site moved in, with figures:
//   node --no-warnings --import ./test/support/ts-loader.mjs test/migrations/large.mjs [system] [affiliates] [referrals] [visits] [sqlite|mysql]
// Source and target are databases of this machine; both are dropped afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';
import { createMemoryHost } from '../../adapters/memory-host.ts';
import { consoleLogger, createAffiliateService, wordpressMigrators } from '../../src/index.ts';
import { buildSite, mysqlReachable, MYSQL } from './old-site.ts';
import { SOURCES } from './sources.ts';

const [slug = 'affiliate_wp', affiliates = '2000', referrals = '50000', visits = '200000', engine = 'sqlite'] = process.argv.slice(2);
const size = { affiliates: Number(affiliates), referrals: Number(referrals), visits: Number(visits) };
const { fill } = SOURCES.find((source) => source.slug === slug) ?? SOURCES[0];
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

const sourceEngine = await mysqlReachable() ? 'mysql' : 'sqlite';
let at = performance.now();
const site = await buildSite(sourceEngine, `large_${process.pid}`, size, fill);
console.log(`source: ${slug} in ${sourceEngine}, ${affiliates} affiliates, ${referrals} referrals, ${visits} visits, built in ${seconds(at)} s`);

const folder = mkdtempSync(join(tmpdir(), 'migration-large-'));
const name = `migration_target_${process.pid}`;
const admin = engine === 'mysql' ? createKnex({ client: 'mysql2', connection: MYSQL }) : null;
if (admin) await admin.raw('create database ?? character set utf8mb4', [name]);
const database = admin ? { client: 'mysql2', connection: `${MYSQL}/${name}` } : { client: 'better-sqlite3', connection: join(folder, 'target.sqlite') };
const service = createAffiliateService(createMemoryHost(), {
  database, jobs: false, logger: consoleLogger, secret: 'a secret that is long enough for this run', migrators: wordpressMigrators({ knex: site.knex }),
});
try {
  await service.ready();
  await service.migrations.start(slug);
  const memory = [];
  let stage = '';
  at = performance.now();
  const cpu = process.cpuUsage();
  let stageAt = at;
  let before = 0;
  await service.migrations.run(slug, { onProgress: (run) => {
    memory.push(process.memoryUsage().rss / 2 ** 20);
    const found = Object.values(run.state.stages).reduce((sum, tally) => sum + tally.found, 0);
    if (run.stage === stage) return;
    if (found > before) console.log(`  ${(stage || 'first').padEnd(16)} ${found - before} rows in ${seconds(stageAt)} s`);
    [stage, before, stageAt] = [run.stage, found, performance.now()];
  } });
  const report = await service.migrations.report(slug);
  const used = process.cpuUsage(cpu);
  const cpuSeconds = (used.user + used.system) / 1e6;
  const part = (from, to) => Math.round(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)).reduce((a, b) => Math.max(a, b), 0));
  console.log(`target: ${engine}, ${report.progress.processed} rows in ${seconds(at)} s, ${report.progress.per_second} rows/s; ${cpuSeconds.toFixed(1)} s of processor time, ${Math.round(report.progress.processed / cpuSeconds)} rows/s of it`);
  console.log(`memory: at most ${part(0, 0.25)} / ${part(0.25, 0.5)} / ${part(0.5, 0.75)} / ${part(0.75, 1)} MiB in the quarters of the run`);
  for (const sum of report.sums) console.log(`  ${sum.status} ${sum.currency}: found ${sum.found_minor}, imported ${sum.imported_minor}, left out ${sum.skipped_minor}, stored ${sum.stored_minor}, rounding ${Number(sum.rounding_e12) / 1e12}`);
  at = performance.now();
  console.log(`books: ${(await service.verify()).length} violations, checked in ${seconds(at)} s`);
  at = performance.now();
  await service.migrations.start(slug, true);
  await service.migrations.run(slug);
  const again = await service.migrations.report(slug);
  console.log(`again: ${Object.values(again.stages).reduce((sum, tally) => sum + tally.imported, 0)} rows imported, ${seconds(at)} s`);
} finally {
  await service.close();
  await site.drop();
  if (admin) {
    await admin.raw('drop database if exists ??', [name]);
    await admin.destroy();
  }
  rmSync(folder, { recursive: true, force: true });
}
