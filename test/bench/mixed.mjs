// A shop at work on a million visits: orders come in while people look at lists and
// reports, search, export, and pay out all that is unpaid.
// How long the event loop keeps the host's other requests waiting, and what the process takes of memory.
import { drain } from './export.mjs';
import { openProgram } from './program.mjs';
import { LARGE } from './seed.mjs';

const ORDERS_A_SECOND = 200;
const READERS = 8;
const SECONDS = 20;
const ALONE_SECONDS = 8;
const READ = [
  '/referrals?search=Order%2077',
  '/visits?search=campaign-7',
  '/reports/dashboard-stats',
  '/visits?page=10000&per_page=10',
  '/affiliates?order_by=total_earnings&order_type=DESC',
  '/affiliates/7',
];

export async function mixed({ engine, database }) {
  const program = await openProgram({ engine: engine.name, database, size: LARGE });
  const { host } = program;
  try {
    await load(program, 3); // code that has settled
    const alone = await orders(program, ALONE_SECONDS);
    await host.ask({ do: 'memory' });
    await host.ask({ do: 'delay' });
    const [beside, payout] = await Promise.all([load(program, SECONDS), payOut(program)]);
    const delay = await host.ask({ do: 'delay' });
    const peak = await host.ask({ do: 'memory' });
    const violations = await host.ask({ do: 'verify' });
    const what = `${ORDERS_A_SECOND} orders/s wanted, a payout, an export, ${READERS} readers of lists, searches and reports`;
    return {
      rows: [
        {
          what: `event-loop delay, p99: ${what}`,
          got:
            `${delay.p99.toFixed(1)} ms, worst ${delay.worst.toFixed(0)} ms; the event loop worked for ` +
            `${Math.round(delay.busy * 100)} % of the time`,
          against: `the payout to ${payout.transactions} affiliates took ${(payout.took / 1000).toFixed(1)} s`,
          figure: delay.p99,
          unit: 'ms',
          // a database server takes the same cores: this process then waits for one rather than for itself
          ...(engine.name === 'sqlite' && { most: 10 }),
        },
        {
          what: `orders that are committed, of those that are committed without the rest: ${what}`,
          got: rateOf(beside, SECONDS),
          against: rateOf(alone, ALONE_SECONDS),
          figure: Math.round((100 * beside.orders * ALONE_SECONDS) / (alone.orders * SECONDS)),
          unit: '%',
          least: 75,
        },
        {
          what: 'memory of the process under the same load, with the settings of docs/running.md',
          got: `${Math.round(peak)} MiB at most`,
          against: 'nothing: the figure is the whole process',
          figure: peak,
          unit: 'MiB',
          most: 150,
        },
      ],
      problems: [
        ...violations.map((violation) => JSON.stringify(violation)),
        ...(alone.failed + beside.failed > 0 ? [`${alone.failed + beside.failed} orders failed`] : []),
      ],
    };
  } finally {
    await host.kill();
  }
}

async function payOut({ url, headers }) {
  const began = performance.now();
  const answer = await fetch(`${url}/payouts/process-payout`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ config: { title: 'All that is unpaid', description: 'Under load' } }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the payout: ${answer.status} ${text.slice(0, 200)}`);
  const { payout } = JSON.parse(text);
  const transactions = await fetch(`${url}/payouts/${payout.id}/transactions?per_page=1`, { headers });
  return { took: performance.now() - began, transactions: (await transactions.json()).transactions?.total };
}

const rateOf = ({ orders: committed, times }, seconds) =>
  `${Math.round(committed / seconds)} orders/s, p99 ${Math.round(percentile(times, 0.99))} ms`;

const during = (seconds) => {
  const until = performance.now() + seconds * 1000;
  return () => performance.now() < until;
};

const orders = ({ site }, seconds) => takeOrders(site, during(seconds));

async function load({ site, url, headers, get }, seconds) {
  const isOn = during(seconds);
  const readers = Array.from({ length: READERS }, async (_, at) => {
    for (let turn = at; isOn(); turn += 1) await get(READ[turn % READ.length]);
  });
  const exported = (async () => {
    while (isOn()) await drain(`${url}/visits/export?format=csv`, headers, isOn);
  })();
  const [seen] = await Promise.all([takeOrders(site, isOn), exported, ...readers]);
  return seen;
}

/** As many as a second should bring, however long one takes; at most 64 on their way. */
async function takeOrders(site, isOn) {
  const seen = { orders: 0, failed: 0, times: [] };
  const underway = new Set();
  const began = performance.now();
  for (let sent = 0; isOn();) {
    const due = ((performance.now() - began) / 1000) * ORDERS_A_SECOND;
    for (; sent < due && underway.size < 64; sent += 1) {
      const affiliate = 1 + (sent % (LARGE.affiliates / 20)) * 20; // each twentieth of the seed is not active
      const order = takeOrder(site, affiliate, seen).finally(() => underway.delete(order));
      underway.add(order);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  await Promise.all(underway);
  return seen;
}

async function takeOrder(site, affiliate, seen) {
  const began = performance.now();
  const answer = await fetch(`${site}/checkout/${affiliate}`, { method: 'POST' });
  await answer.arrayBuffer();
  seen.times.push(performance.now() - began);
  if (answer.ok) seen.orders += 1;
  else seen.failed += 1;
}

const percentile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
