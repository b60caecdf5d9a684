// SIGKILL at random moments of a payout run, and before and after every statement of
// every operation that moves money.
import { setTimeout as sleep } from 'node:timers/promises';
import { fill } from './books.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';
import { OPERATIONS } from './operations.mjs';
import { Child, Pool } from './processes.mjs';

const REFERRALS = 300;
const AFFILIATES = 20;
/** So many lives end right after their answer and tell how long a run takes here. */
const MEASURED = 3;

/** Prepares the schema in a process of its own, which is gone when the first life begins. */
async function prepared(engine) {
  const database = await newDatabase(engine);
  const child = new Child();
  await child.next();
  await child.ask({ do: 'open', database: database.config });
  await child.kill();
  return database;
}

const order = (database, more) => ({ database: database.config, ...more });

/** `count` lives that end at a random moment; each one checks what the one before it left. */
export async function randomKills(engine, { count, seconds, random }) {
  const database = await prepared(engine);
  const knex = database.knex();
  await fill(knex, { affiliates: AFFILIATES, referrals: REFERRALS });
  await knex.destroy();
  const pool = new Pool(2);
  const found = {
    engine,
    title: TITLES[engine],
    version: await versionOf(database),
    wanted: count,
    kills: 0,
    before: 0,
    after: 0,
    acknowledged: 0,
    lost: 0,
    halves: 0,
    violations: [],
  };
  const end = Date.now() + seconds * 1000;
  let usual = 0;
  let promised = false;
  const judge = ({ violations, left }) => {
    found.violations.push(...violations);
    if (left !== 0 && left !== REFERRALS) found.halves += 1;
    if (promised && left !== REFERRALS) found.lost += 1;
    if (found.kills > 0) found[left === 0 ? 'before' : 'after'] += 1;
  };
  try {
    while (found.kills < count && Date.now() < end) {
      const child = await pool.take();
      child.send(order(database, { do: 'run' }));
      const running = await child.next();
      judge(running);
      const began = performance.now();
      const answered = child
        .next()
        .then((message) => (message.stage === 'acknowledged' ? performance.now() - began : null));
      const took = await Promise.race([
        answered,
        sleep(found.kills < MEASURED ? 60_000 : random() * usual * 1.15, undefined, { ref: false }).then(
          () => null,
        ),
      ]);
      await child.kill();
      promised = (await answered) !== null; // told before the kill reached it
      if (took !== null) usual = usual === 0 ? took : usual * 0.8 + took * 0.2;
      else usual *= 1.01; // a run that lasts longer than it used to must also be met at its end
      found.acknowledged += promised ? 1 : 0;
      found.kills += 1;
    }
    const last = await pool.take(); // a life that looks at what the last kill left
    last.send(order(database, { do: 'run' }));
    judge(await last.next());
    await last.kill();
  } finally {
    await pool.close();
    await database.drop();
  }
  return { ...found, milliseconds: Math.round(usual) };
}

/**
 * One life per statement and side of it; each one checks what the one before it left:
 * nothing, or all of the operation.
 */
export async function statementKills(engine, { operations = Object.keys(OPERATIONS), seconds }) {
  const database = await prepared(engine);
  const pool = new Pool(2);
  const rows = [];
  const end = Date.now() + seconds * 1000;
  const live = async (more) => {
    const child = await pool.take();
    child.send(order(database, { do: 'statement', ...more }));
    const running = await child.next();
    const last = await child.next();
    if (last.stage === 'dying') await child.next(); // by its own hand
    await child.kill();
    return { running, last };
  };
  try {
    for (const operation of operations) {
      const {
        running: { before },
        last: {
          value: { statements, commits, after },
        },
      } = await live({ operation });
      const row = { operation, statements, kills: 0, judged: 0, undone: 0, done: 0, problems: [] };
      rows.push(row);
      let place = '';
      let committed = false;
      const judge = ({ violations, left }) => {
        row.problems.push(...violations.map((violation) => `${place}: ${JSON.stringify(violation)}`));
        if (left === (committed ? after : before)) row[committed ? 'done' : 'undone'] += 1;
        else if (left === before || left === after)
          row.problems.push(`${place}: ${committed ? 'committed, but gone' : 'there without a commit'}`);
        else row.problems.push(`${place}: neither before nor after: ${left}`);
      };
      for (const { at, when } of moments(statements)) {
        if (Date.now() > end) break;
        const { running, last } = await live({ operation, at, when });
        if (row.kills > 0) judge(running);
        row.judged = row.kills;
        if (last.stage !== 'dying') {
          // the first life had one statement more: it made the row of the lease
          row.statements = at - 1;
          break;
        }
        place = `${at} ${when}`;
        committed = last.commits === commits; // the last COMMIT is that of the books
        row.kills += 1;
      }
      if (row.kills > row.judged) judge((await live({ operation })).running);
    }
  } finally {
    await pool.close();
    await database.drop();
  }
  return { engine, title: TITLES[engine], rows, skipped: operations.length - rows.length };
}

const moments = (statements) =>
  Array.from({ length: statements }, (_, at) =>
    ['before', 'after'].map((when) => ({ at: at + 1, when })),
  ).flat();
