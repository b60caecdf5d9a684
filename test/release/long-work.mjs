// SIGKILL at random moments of every operation that is done in steps (docs/reliability.md §3.9).
import { setTimeout as sleep } from 'node:timers/promises';
import { fill } from './books.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';
import { Child, Pool } from './processes.mjs';

const FILE = new URL('long-work-worker.mjs', import.meta.url);
const AFFILIATES = 600; // more than are marked paid in one step
const USERS = 700;
export const LONG_OPERATIONS = [
  'payout',
  'all marked paid',
  'undo of a payout',
  'merge',
  'change of the currency',
  'retention',
  'recount',
  'wipe',
];
/** So many lives of an operation end by themselves and tell how long it takes here. */
const MEASURED = 2;

/** Operations that are killed at the same time, each on a database of its own: a life mostly starts a process. */
const LANES = 2;

/** `kills` lives of each operation that end at a random moment; each one checks what the one before it left. */
export async function longWorkKills(engine, { kills, referrals, seconds, random }) {
  const found = { title: TITLES[engine], rows: [], problems: [], version: '' };
  const left = LONG_OPERATIONS.entries();
  const lane = async () => {
    for (const [at, operation] of left) {
      const database = await prepared(engine, referrals);
      found.version = await versionOf(database);
      const pool = new Pool(2, FILE);
      try {
        const row = await killsOf(operation, { engine, database, pool, kills, referrals, random, seconds });
        console.log(`${found.title}: ${operation}: ${row.kills} kills, ${row.problems.length} problems`);
        found.rows[at] = row;
      } finally {
        await pool.close();
        await database.drop();
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  found.problems = found.rows.flatMap(({ operation, problems }) =>
    problems.map((problem) => `${operation}: ${problem}`),
  );
  return found;
}

async function prepared(engine, referrals) {
  const database = await newDatabase(engine);
  const child = new Child(FILE);
  await child.next();
  await child.ask({ do: 'open', database: database.config, users: USERS });
  await child.kill();
  const knex = database.knex();
  await fill(knex, { affiliates: AFFILIATES, referrals });
  await knex.destroy();
  return database;
}

async function killsOf(operation, { engine, database, pool, kills, referrals, random, seconds }) {
  const row = { operation, kills: 0, ended: 0, problems: [] };
  const until = Date.now() + seconds * 1000;
  let usual = 0;
  while (row.kills < kills && Date.now() < until) {
    const child = await pool.take();
    child.send({
      do: 'live',
      engine,
      operation,
      affiliates: AFFILIATES,
      referrals,
      users: USERS,
      database: database.config,
    });
    const running = await child.next();
    row.problems.push(...running.problems);
    const measures = row.ended < MEASURED;
    const start = performance.now();
    const ended = child.next().then(
      ({ stage, problems = [] }) => {
        row.problems.push(...problems);
        return stage === 'ended';
      },
      (error) => {
        row.problems.push(error.message);
        return true;
      },
    );
    const lives = sleep(measures ? 300_000 : random() * usual, undefined, { ref: false }).then(() => false);
    const isOver = await Promise.race([ended, lives]);
    if (isOver && running.began) usual = Math.max(usual, performance.now() - start);
    await child.kill();
    if (isOver) row.ended += 1;
    else row.kills += 1;
  }
  if (row.kills < kills) row.problems.push(`only ${row.kills} kills`);
  return row;
}
