// Moving in from every old system: large ones with their sums, and small ones with SIGKILLs on the way.
import { createHash } from 'node:crypto';
import { newDatabase, TITLES, versionOf } from './engines.mjs';
import { buildSystem } from './old-systems.mjs';
import { Child, Pool } from './processes.mjs';

const WORKER = new URL('import-worker.mjs', import.meta.url);
const TABLES = {
  meta: 'name_key',
  affiliates: 'source_key',
  customers: 'source_key',
  visits: 'source_key',
  referrals: 'source_key',
  payouts: 'source_key',
  payout_transactions: 'source_key',
  payout_items: 'referral_id',
  ledger_entries: 'id',
  creatives: 'source_key',
  daily_stats: 'scope',
  import_rows: 'source_id',
};
const PAGE = 20_000;

/** Large systems: sums against SQL over the source, a second run, the rate and the memory. */
export async function largeImports(engine, { systems, size, kept }) {
  const rows = [];
  for (const slug of systems) {
    const system = await buildSystem(slug, size);
    const database = await newDatabase(engine);
    try {
      const order = { source: system.source, slug, database: database.config };
      const first = await alone({ do: 'import', ...order });
      const before = await fingerprint(database, true);
      const again = await alone({ do: 'import', ...order, reset: true });
      const after = await fingerprint(database, true);
      rows.push({
        slug,
        from: system.engine,
        ...figures(first),
        again: imported(again),
        secondTook: again.took,
        problems: [
          ...problemsOf(system, first.report),
          ...[...first.violations, ...again.violations].map((violation) => JSON.stringify(violation)),
          ...(imported(again) > 0 ? [`${imported(again)} rows imported again`] : []),
          ...(after === before ? [] : ['the second run changed something']),
        ].map((problem) => `${slug}: ${problem}`),
      });
    } finally {
      await system.drop();
      if (!kept) await database.drop();
    }
  }
  return { title: TITLES[engine], version: await version(engine), rows };
}

/**
 * `count` SIGKILLs spread over the whole run of a small system, each followed by a new start;
 * the result is that of a run without any.
 */
export async function importKills(engine, { systems, size, count, random }) {
  const rows = [];
  for (const slug of systems) {
    const system = await buildSystem(slug, size);
    const [whole, killed] = [await newDatabase(engine), await newDatabase(engine)];
    const pool = new Pool(2, WORKER);
    try {
      const order = { do: 'live', source: system.source, slug };
      const reference = await alone({ ...order, database: whole.config });
      const step = Math.max(6, reference.statements / (count + 1));
      const begin = await statementsOfNothing(order, whole);
      const row = {
        slug,
        from: system.engine,
        statements: reference.statements,
        rows: processed(reference.report),
        kills: 0,
        problems: [],
      };
      const began = performance.now();
      while (row.kills < count) {
        const child = await pool.take();
        child.send({
          ...order,
          database: killed.config,
          dieAt: begin + Math.max(1, Math.ceil(random() * step * 1.4)),
        });
        const said = await child.next();
        await child.kill();
        if (said.stage !== 'dead') break; // complete before the last kill
        row.kills += 1;
      }
      const last = await alone({ ...order, database: killed.config });
      row.seconds = (performance.now() - began) / 1000;
      row.memory = last.memory;
      const same =
        (await fingerprint(killed, engine === 'sqlite')) === (await fingerprint(whole, engine === 'sqlite'));
      row.problems.push(
        ...[
          ...(row.kills < count ? [`complete after ${row.kills} kills`] : []),
          ...(same ? [] : ['another result than without kills']),
          ...problemsOf(system, last.report),
          ...[...last.violations, ...reference.violations].map((violation) => JSON.stringify(violation)),
        ].map((problem) => `${slug}: ${problem}`),
      );
      rows.push(row);
      console.log(
        `${slug}: ${row.kills} kills, ${Math.round(row.seconds)} s, ${row.problems.length} problems`,
      );
    } finally {
      await pool.close();
      await system.drop();
      await whole.drop();
      await killed.drop();
    }
  }
  return { title: TITLES[engine], version: await version(engine), rows };
}

async function alone(order) {
  const child = new Child(WORKER);
  try {
    await child.next();
    return await child.ask(order);
  } finally {
    await child.kill();
  }
}

/** Statements of a life that finds its work done: they come before the first batch of every life. */
async function statementsOfNothing(order, database) {
  const { statements } = await alone({ ...order, database: database.config });
  return Math.max(2, Math.floor(statements / 4));
}

async function version(engine) {
  const database = await newDatabase(engine);
  try {
    return await versionOf(database);
  } finally {
    await database.drop();
  }
}

const processed = (report) => Object.values(report.stages).reduce((sum, stage) => sum + stage.found, 0);
const imported = ({ report }) => Object.values(report.stages).reduce((sum, stage) => sum + stage.imported, 0);

function figures({ report, took, cpu, seconds, memory }) {
  const visits = report.stages.visits.found;
  return {
    rows: processed(report),
    imported: Object.values(report.stages).reduce((sum, stage) => sum + stage.imported, 0),
    left: report.progress.skipped,
    took,
    cpu,
    memory,
    visitsPerSecond: visits / (seconds.visits ?? took),
    moved: report.sums.filter((sum) => sum.moved > 0).reduce((sum, each) => sum + each.moved, 0),
  };
}

/** What SQL over the source says beside what the report says, and the report beside itself. */
function problemsOf(system, report) {
  const problems = [];
  // which of its commissions are paid is worked out by the import, which adds pairs that are nothing together
  const merged = report.source === 'affiliate_manager';
  const found = new Map();
  for (const sum of report.sums) {
    if (
      sum.found !== sum.imported + sum.existing + sum.skipped ||
      sum.found_minor !== sum.imported_minor + sum.existing_minor + sum.skipped_minor
    )
      problems.push(`${sum.status} ${sum.currency}: rows got lost`);
    if (sum.stored_minor !== sum.imported_minor + sum.existing_minor + sum.moved_minor)
      problems.push(`${sum.status} ${sum.currency}: stored ${sum.stored_minor}`);
    const key = merged ? `all ${sum.currency}` : `${sum.status} ${sum.currency}`;
    const known = found.get(key) ?? { n: 0, minor: 0 };
    found.set(key, {
      n: known.n + sum.imported + sum.existing,
      minor: known.minor + sum.imported_minor + sum.existing_minor,
    });
  }
  for (const [key, { n, minor }] of system.expected) {
    const here = found.get(key) ?? { n: 0, minor: 0 };
    if ((!merged && here.n !== n) || here.minor !== minor)
      problems.push(`${key}: ${here.n} rows, ${here.minor}; SQL over the source says ${n} rows, ${minor}`);
  }
  return problems;
}

/**
 * Everything an import writes. A rolled back transaction uses up ids on the servers:
 * there they are left out, and verify() looks at what they refer to.
 */
async function fingerprint(database, withIds) {
  const knex = database.knex();
  const hash = createHash('sha256');
  try {
    for (const [table, order] of Object.entries(TABLES)) {
      const lines = [];
      for (let offset = 0; ; offset += PAGE) {
        const rows = await knex(`fa_${table}`)
          .select()
          .orderBy(
            table === 'daily_stats'
              ? ['scope', 'day']
              : table === 'import_rows'
                ? ['stage', 'source_id']
                : [order],
          )
          .limit(PAGE)
          .offset(offset);
        for (const row of rows)
          lines.push(
            JSON.stringify(
              Object.entries(row)
                .filter(([column]) => counts(table, column, withIds))
                .map(([, value]) => (value === null ? null : String(value))),
            ),
          );
        if (rows.length < PAGE) break;
      }
      if (!withIds) lines.sort();
      hash.update(`${table} ${lines.length}\n`);
      for (const line of lines) hash.update(line);
    }
  } finally {
    await knex.destroy();
  }
  return hash.digest('hex');
}

function counts(table, column, withIds) {
  // the number of a remark, and when it was written
  if (table === 'import_rows') return column !== 'id' && column !== 'created_at';
  if (table === 'daily_stats' && !withIds) return column !== 'scope';
  return withIds || !(column === 'id' || column.endsWith('_id'));
}
