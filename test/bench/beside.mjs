// What orders feel of the office: each long operation beside 40 orders a second, and alone, on programs of the
// same seed. The target is the 99th percentile of an order: at most three times what it is alone, or 250 ms.
import { drain } from './export.mjs';
import { openProgram } from './program.mjs';
import { LARGE } from './seed.mjs';

const ORDERS_A_SECOND = 40;
const BUYERS_OF = 100; // affiliates
const ALONE_SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const SLOW_MS = 250;
const TIMES = 3;
const RETENTION_DAYS = 370; // of the days of the seed, the oldest are older

/** In this order: each finds what the one before it has left. */
const OPERATIONS = {
  'payout of all that is unpaid': async (program) => {
    program.payout = (await send(program, 'POST', '/payouts/process-payout', FORM)).payout;
  },
  'undo of that payout': async (program) => {
    await send(program, 'POST', `/payouts/${program.payout.id}/undo`, {}, { Prefer: 'respond-async' });
    while ((await send(program, 'GET', '/payouts/running')).works.length > 0) await pause(100);
  },
  'payout of all that is unpaid, once more': async (program) => {
    program.payout = (await send(program, 'POST', '/payouts/process-payout', FORM)).payout;
  },
  'all its transactions marked paid': (program) =>
    send(program, 'PATCH', `/payouts/${program.payout.id}/transactions/bulk-action`, { status: 'paid' }),
  'export of all referrals': ({ url, headers }) => drain(`${url}/referrals/export?format=csv`, headers),
  'verify()': ({ host }) => host.ask({ do: 'verify' }),
  'reconcile()': ({ host }) => host.ask({ do: 'reconcile' }),
  'merge of the largest affiliate': (program) =>
    send(program, 'POST', '/affiliates/3/merge', { other_id: 1 }),
  'change of the currency': (program) =>
    send(program, 'POST', '/settings/referral-config', {
      referral_config: { currency: 'EUR' },
      confirm: true,
    }),
  'jobs with retention': ({ host }) => host.ask({ do: 'jobs' }),
};
const FORM = { config: { title: 'All that is unpaid', description: 'Beside orders' } };
/** Parts of the names of operations, such as `payout,marked`; without it all are measured. */
const named = process.env.BENCH_BESIDE?.split(',');

export async function beside({ engine, fresh }) {
  const alone = await inTurn({ engine, fresh }, false);
  const both = await inTurn({ engine, fresh }, true);
  const quiet = percentile(both.quiet, 0.99);
  const most = Math.max(TIMES * quiet, SLOW_MS);
  return {
    rows: [
      {
        what: `an order beside nothing, p50 / p99 (${ORDERS_A_SECOND} a second of ${BUYERS_OF} affiliates)`,
        got: inMs(both.quiet),
        against: `the target of the next rows is ${Math.round(most)} ms`,
        figure: quiet,
        unit: 'ms',
      },
      ...Object.keys(both.found).map((name) => {
        const { times, failed, took } = both.found[name];
        const ratio = took / alone.found[name].took;
        return {
          what: `an order beside: ${name}`,
          got: inMs(times),
          against:
            `${failed} of ${times.length + failed} failed; it took ${seconds(took)} beside orders and ` +
            `${seconds(alone.found[name].took)} alone (× ${ratio.toFixed(1)})`,
          figure: percentile(times, 0.99),
          unit: 'ms',
          most,
        };
      }),
    ],
    problems: [...both.problems, ...alone.problems],
  };
}

async function inTurn({ engine, fresh }, withOrders) {
  const { database, drop } = await fresh();
  const program = await openProgram({
    engine: engine.name,
    database,
    size: LARGE,
    options: { tracking: { retentionDays: RETENTION_DAYS } },
  });
  const found = {};
  const problems = [];
  let quiet = [];
  try {
    if (withOrders) quiet = (await beneath(program, () => pause(ALONE_SECONDS * 1000))).times;
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      if (named && !named.some((part) => name.includes(part))) continue;
      const seen = withOrders
        ? await beneath(program, () => operation(program))
        : { times: [], failed: 0, took: await timed(() => operation(program)) };
      found[name] = seen;
      console.log(
        `${engine.title}: ${name}: ${seconds(seen.took)}; orders ${inMs(seen.times)}, ${seen.failed} failed`,
      );
      if (seen.failed > 0) problems.push(`${seen.failed} orders failed beside: ${name}`);
    }
    const violations = await program.host.ask({ do: 'verify' });
    problems.push(...violations.map((violation) => JSON.stringify(violation)));
  } finally {
    await program.host.kill();
    await drop();
  }
  return { quiet, found, problems };
}

/** Does the work while orders come in. */
async function beneath({ site }, work) {
  const seen = { times: [], failed: 0 };
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
  const answer = await fetch(`${site}/checkout/${affiliate}`, { method: 'POST' });
  await answer.arrayBuffer();
  if (answer.ok) seen.times.push(performance.now() - began);
  else seen.failed += 1;
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
