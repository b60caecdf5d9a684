// `npm run bench [-- part …]`: what the service costs a host, each figure beside its baseline of
// the same run and its target.
// SQLite always; PostgreSQL and MySQL/MariaDB when BENCH_POSTGRES_URL, BENCH_MYSQL_URL name a server.
// BENCH_SECONDS (8) and
// BENCH_CONNECTIONS (64) set the size of a measurement, BENCH_VISITS (1,000,000) that of the programs.
// All parts together write RESULTS.md, after each database; named ones are printed only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginesIn } from './engines.mjs';
import { PARTS } from './parts.mjs';
import { flushTime, machine, report } from './report.mjs';

const named = process.argv.slice(2);
const size = {
  seconds: Number(process.env.BENCH_SECONDS ?? 8),
  connections: Number(process.env.BENCH_CONNECTIONS ?? 64),
};
const folder = mkdtempSync(join(tmpdir(), 'affiliate-bench-'));
const facts = { ...machine(), flush: flushTime() };

const measured = [];
let text = '';
try {
  for (const engine of enginesIn(folder)) {
    measured.push(await measure(engine));
    text = report({ facts, size: { ...size, load: machine().load }, measured });
    if (named.length === 0) writeFileSync(new URL('RESULTS.md', import.meta.url), text);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`\n${text}`);
process.exitCode = measured.every(({ problems }) => problems.length === 0) ? 0 : 1;

/** Every part that knows this engine, each on a database of its own. */
async function measure(engine) {
  const found = { title: engine.title, rows: [], notes: [], problems: [] };
  for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
    const part = PARTS[name];
    if (!part) throw new Error(`The parts are ${Object.keys(PARTS).join(', ')}; not ${name}.`);
    if (!part.engines.includes(engine.name)) continue;
    const { database, drop } = await engine.fresh();
    try {
      const {
        rows,
        notes = [],
        problems = [],
      } = await part.run({ engine, database, fresh: engine.fresh, ...size });
      for (const { what, got, against } of rows) console.log(`${engine.title}: ${what}: ${got}; ${against}`);
      found.rows.push(...rows);
      found.notes.push(...notes);
      found.problems.push(...problems);
    } finally {
      await drop();
    }
  }
  return found;
}
