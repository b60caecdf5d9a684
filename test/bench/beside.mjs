// What orders feel of the office: each long operation beside 40 orders a second, and alone, on programs of the
// same seed. The target is the 99th percentile of an order: at most three times what it is alone, or 250 ms.
import { connect } from './engines.mjs';
import { drain } from './export.mjs';
import { openProgram } from './program.mjs';
import { LARGE } from './seed.mjs';

const ORDERS_A_SECOND = 40;
const BUYERS_OF = 100; // affiliates
const ALONE_SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const SLOW_MS = 250;
const TIMES = 3;
const RETENTION_DAYS = 370; // of the days of the seed, the oldest are older
const LOCKED_MS = 100; // the median of a step's transaction, and the longest one
const LOCKED_MOST_MS = 300;
const MARKED_TIMES = 25; // it is over after ten orders
const IMPORTED = { affiliates: 2000, commissions: 10_000 };
const [TAKEN, NO_AFFILIATE, REFUSED] = [200, 404, 503];

/**
 * In this order: each finds what the one before it has left. `before` is not measured; a list of `answers` says
 * which ones an order may get besides being taken.
 */
const OPERATIONS = {
  'payout of all that is unpaid': { run: payOut },
  'undo of that payout': {
    run: async (program) => {
      await send(program, 'POST', `/payouts/${program.payout.id}/undo`, {}, { Prefer: 'respond-async' });
      while ((await send(program, 'GET', '/payouts/running')).works.length > 0) await pause(100);
    },
  },
  'payout of all that is unpaid, once more': { run: payOut },
  'all its transactions marked paid': {
    times: MARKED_TIMES,
    before: openAgain,
    run: (program) =>
      send(program, 'PATCH', `/payouts/${program.payout.id}/transactions/bulk-action`, { status: 'paid' }),
  },
  'export of all referrals': {
    run: ({ url, headers }) => drain(`${url}/referrals/export?format=csv`, headers),
  },
  'verify()': { run: ({ host }) => host.ask({ do: 'verify' }) },
  'recount (reconcile())': { run: ({ host }) => host.ask({ do: 'reconcile' }) },
  'import of CSV files': { before: upload, run: importAll },
  'merge of the largest affiliate': {
    run: (program) => send(program, 'POST', '/affiliates/3/merge', { other_id: 1 }),
  },
  'change of the currency': {
    run: (program) =>
      send(program, 'POST', '/settings/referral-config', {
        referral_config: { currency: 'EUR' },
        confirm: true,
      }),
  },
  'jobs with retention': { run: ({ host }) => host.ask({ do: 'jobs' }) },
  // closes the program, so an order is refused at once, or there is nobody to credit any more
  'wipe of the program': {
    answers: [REFUSED, NO_AFFILIATE],
    before: async (program) => program.problems.push(...(await violations(program))),
    run: (program) => send(program, 'POST', '/settings/migrations/wipe', { confirmation: 'WIPE ALL DATA' }),
  },
};
/** Parts of the names of operations, such as `payout,marked`; without it all are measured. */
const named = process.env.BENCH_BESIDE?.split(',');

export async function beside({ engine, fresh }) {
  const alone = await inTurn({ engine, fresh }, false);
  const both = await inTurn({ engine, fresh }, true);
  const quiet = percentile(both.quiet, 0.99);
  const most = Math.max(TIMES * quiet, SLOW_MS);
  const names = Object.keys(both.found);
  return {
    rows: [
      {
        what: `an order beside nothing, p50 / p99 (${ORDERS_A_SECOND} a second of ${BUYERS_OF} affiliates)`,
        got: inMs(both.quiet),
        against: `the target of the next rows is ${Math.round(most)} ms`,
        figure: quiet,
        unit: 'ms',
      },
      ...names.map((name) => orderRow(name, { seen: both.found[name], alone: alone.found[name], most })),
      ...stepRows(names.map((name) => [name, both.found[name]])),
    ],
    notes: [
      '"× n" compares an operation beside orders with itself alone, in the same steps; both share the cores with ' +
        'the orders and the database. The row of the payout run compares the steps with one transaction. ' +
        'A step is measured from BEGIN to COMMIT, beside orders. The event loop is measured without orders, by the ' +
        'time that its thread computed between two turns; code that runs for the first time and garbage collection ' +
        'are in it, so it has no target.',
    ],
    problems: [...both.problems, ...alone.problems],
  };
}

function orderRow(name, { seen, alone, most }) {
  const { times, answers, failed, took, turns } = seen;
  const refused = OPERATIONS[name].answers !== undefined;
  const counts = refused
    ? `${answers[TAKEN] ?? 0} taken, ${answers[REFUSED] ?? 0} refused with 503, ` +
      `${answers[NO_AFFILIATE] ?? 0} after the last affiliate was deleted, ${failed} failed`
    : `${failed} of ${times.length} failed`;
  return {
    what: `an order beside: ${name}${refused ? ' (figure: the slowest)' : ''}`,
    got: inMs(times),
    against:
      `${counts}; ${turns > 1 ? `${turns} times, each` : 'it'} took ${seconds(took)} beside orders and ` +
      `${seconds(alone.took)} alone (× ${(took / alone.took).toFixed(1)}); ${lockedOf(seen.steps)}; ` +
      `alone it ${heldOf(alone.held)}`,
    figure: percentile(times, refused ? 1 : 0.99),
    unit: 'ms',
    most,
  };
}

const lockedOf = (steps) =>
  steps.length === 0
    ? 'no steps'
    : `${steps.length} steps of ${Math.round(percentile(steps, 0.5))} ms, ${Math.round(Math.max(...steps))} ms at worst`;

/** The operations whose steps hold their locks for longest. */
function stepRows(found) {
  const withSteps = found.filter(([, { steps }]) => steps.length > 0);
  if (withSteps.length === 0) return [];
  const row = (what, figureOf, most) => {
    const [name, { steps }] = withSteps.reduce((a, b) =>
      figureOf(b[1].steps) > figureOf(a[1].steps) ? b : a,
    );
    return { what, got: name, against: lockedOf(steps), figure: figureOf(steps), unit: 'ms', most };
  };
  return [
    row(
      'a transaction of a step, median, longest of all operations',
      (steps) => percentile(steps, 0.5),
      LOCKED_MS,
    ),
    row('the longest transaction of a step', (steps) => Math.max(...steps), LOCKED_MOST_MS),
  ];
}

const heldOf = ({ longest, long }) =>
  `held the event loop for ${Math.round(longest)} ms at most, ${long} times for more than 20 ms`;

async function inTurn({ engine, fresh }, withOrders) {
  const { database, drop } = await fresh();
  const program = await openProgram({
    engine: engine.name,
    database,
    size: LARGE,
    options: { tracking: { retentionDays: RETENTION_DAYS } },
  });
  Object.assign(program, { database, problems: [] });
  const found = {};
  let quiet = [];
  try {
    if (withOrders) quiet = (await beneath(program, () => pause(ALONE_SECONDS * 1000))).times;
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      if (named && !named.some((part) => name.includes(part))) continue;
      const seen = await measured(program, operation, withOrders);
      found[name] = seen;
      console.log(
        `${engine.title}: ${name}: ${seconds(seen.took)}; orders ${inMs(seen.times)}, ${seen.failed} failed; ` +
          `${lockedOf(seen.steps)}; ${heldOf(seen.held)}`,
      );
      if (seen.failed > 0) program.problems.push(`${seen.failed} orders failed beside: ${name}`);
    }
    program.problems.push(...(await violations(program)));
  } finally {
    await program.host.kill();
    await drop();
  }
  return { quiet, found, problems: program.problems };
}

/** One operation, as often as it is needed for enough orders; `took` is the mean of its turns. */
async function measured(program, { before, run, times: turns = 1, answers = [] }, withOrders) {
  const { host } = program;
  const seen = { times: [], answers: {}, steps: [], held: { longest: 0, long: 0 }, turns };
  let total = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    await before?.(program);
    await host.ask({ do: 'stepTimes' });
    await host.ask({ do: 'delay' });
    const work = () => run(program);
    const one = withOrders
      ? await beneath(program, work)
      : { times: [], answers: {}, took: await timed(work) };
    const { held } = await host.ask({ do: 'delay' });
    total += one.took;
    seen.times.push(...one.times);
    seen.steps.push(...(await host.ask({ do: 'stepTimes' })));
    for (const [answer, count] of Object.entries(one.answers))
      seen.answers[answer] = (seen.answers[answer] ?? 0) + count;
    seen.held = { longest: Math.max(seen.held.longest, held.longest), long: seen.held.long + held.long };
  }
  const fine = [TAKEN, ...answers].map((answer) => seen.answers[answer] ?? 0).reduce((a, b) => a + b);
  return { ...seen, took: total / turns, failed: seen.times.length - fine };
}

/** Does the work while orders come in. */
async function beneath({ site }, work) {
  const seen = { times: [], answers: {} };
  let isOn = true;
  const orders = takeOrders(site, () => isOn, seen);
  try {
    seen.took = await timed(work);
  } finally {
    isOn = false;
    await orders;
  }
  return seen;
}

async function takeOrders(site, isOn, seen) {
  const underway = new Set();
  const began = performance.now();
  for (let sent = 0; isOn();) {
    const due = ((performance.now() - began) / 1000) * ORDERS_A_SECOND;
    for (; sent < due; sent += 1) {
      const affiliate = 41 + (sent % BUYERS_OF) * 10; // active ones, and none that is merged
      const order = takeOrder(site, affiliate, seen).finally(() => underway.delete(order));
      underway.add(order);
    }
    await pause(5);
  }
  await Promise.all(underway);
}

async function takeOrder(site, affiliate, seen) {
  const began = performance.now();
  const answer = await answerTo(`${site}/checkout/${affiliate}`);
  seen.times.push(performance.now() - began);
  seen.answers[answer] = (seen.answers[answer] ?? 0) + 1;
}

/** The status of the response; a refusal must say when to come again. */
async function answerTo(url) {
  try {
    const response = await fetch(url, { method: 'POST' });
    await response.arrayBuffer();
    const mayRepeat = response.status !== REFUSED || response.headers.has('Retry-After');
    return mayRepeat ? response.status : 'refused without a time';
  } catch {
    return 'no response';
  }
}

async function payOut(program) {
  const config = { title: 'All that is unpaid', description: 'Beside orders' };
  program.payout = (await send(program, 'POST', '/payouts/process-payout', { config })).payout;
}

/** Its transactions are open again, as nothing but a request for each of them could make them. */
async function openAgain({ database, payout }) {
  const knex = connect(database);
  try {
    await knex('fa_payout_transactions').where({ payout_id: payout.id }).update({ status: 'processing' });
    await knex('fa_payouts').where({ id: payout.id }).update({ status: 'processing' });
  } finally {
    await knex.destroy();
  }
}

async function upload({ url, headers }) {
  const { affiliates, commissions } = IMPORTED;
  const rows = (count, row) => Array.from({ length: count }, (_, at) => row(at + 1)).join('\n');
  const form = new FormData();
  const add = (name, text) => {
    form.append(name, new Blob([text]), `${name}.csv`);
  };
  add('affiliates', `id,email,status\n${rows(affiliates, (id) => `${id},moved${id}@mail.test,active`)}`);
  add(
    'commissions',
    'id,affiliate_id,amount,currency,status,created_at\n' +
      rows(
        commissions,
        (id) => `${id},${1 + (id % affiliates)},${id % 90}.50,USD,unpaid,2024-02-02T00:00:00Z`,
      ),
  );
  const answer = await fetch(`${url}/settings/migrations/files`, { method: 'POST', headers, body: form });
  const text = await answer.text();
  if (!answer.ok || JSON.parse(text).problem !== null) throw new Error(`upload: ${answer.status} ${text}`);
}

/** The jobs of the program are off, so each question about the import lets it go on for a while. */
async function importAll(program) {
  await send(program, 'POST', '/settings/migrations/start', { migrator: 'csv' });
  for (;;) {
    const { current_stage: stage, error } = await send(
      program,
      'GET',
      '/settings/migrations/status?migrator=csv',
    );
    if (error !== null) throw new Error(`import: ${error}`);
    if (stage === 'completed') return;
  }
}

async function send({ url, headers }, method, path, body, more = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json', ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const violations = async ({ host }) =>
  (await host.ask({ do: 'verify' })).map((violation) => JSON.stringify(violation));

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const inMs = (times) => `${Math.round(percentile(times, 0.5))} / ${Math.round(percentile(times, 0.99))} ms`;
const percentile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
