// What grows with the tables: the same requests on a program of BENCH_GROWTH visits and on one of ten times as many.
import { setTimeout as wait } from 'node:timers/promises';
import { openProgram } from './program.mjs';
import { LARGE } from './seed.mjs';

const SMALLER = Number(process.env.BENCH_GROWTH ?? 1_000_000);
const TIMES = 10;
const SAMPLES = 11;
const RETENTION_DAYS = 370; // of the days of the seed, the oldest are older
/** What is asked daily must not grow with the tables. */
const MOST = 2;

const READ = {
  'list of visits': '/visits',
  'list of visits, page 1,000': '/visits?page=1000&per_page=10',
  'list of visits by campaign': '/visits?order_by=utm_campaign',
  'list of referrals': '/referrals',
  'list of affiliates by earnings': '/affiliates?order_by=total_earnings&order_type=DESC',
  'an affiliate': '/affiliates/7',
  dashboard: '/reports/dashboard-stats',
};

const MEASURES = {
  ...Object.fromEntries(
    Object.entries(READ).map(([name, path]) => [name, (program) => median(SAMPLES, () => program.get(path))]),
  ),
  'a click': (program) => median(SAMPLES, (at) => click(program, at)),
  'an order': (program) => median(SAMPLES, () => timed(`${program.site}/checkout/41`, { method: 'POST' })),
  'a payout, per 1,000 commissions': async (program) => {
    const began = performance.now();
    await timed(`${program.url}/payouts/process-payout`, {
      method: 'POST',
      headers: { ...program.headers, 'Content-Type': 'application/json', Prefer: 'respond-async' },
      body: JSON.stringify({ config: { title: 'Growth', description: 'All that is unpaid' } }),
    });
    for (;;) {
      const answer = await fetch(`${program.url}/payouts?per_page=1`, { headers: program.headers });
      const { payouts } = await answer.json();
      const [{ status, referrals_count: count }] = payouts.data;
      if (status === 'processing') return ((performance.now() - began) * 1000) / Math.max(1, count);
      await wait(500);
    }
  },
  'deletion of old visits, per 1,000': async (program) => {
    const before = await visitsOf(program);
    const began = performance.now();
    await program.host.ask({ do: 'jobs' });
    const gone = before - (await visitsOf(program));
    return ((performance.now() - began) * 1000) / Math.max(1, gone);
  },
};

export async function growth({ engine, fresh }) {
  const small = await measured({ engine, fresh, visits: SMALLER });
  const large = await measured({ engine, fresh, visits: SMALLER * TIMES });
  const number = (count) => count.toLocaleString('en');
  return {
    rows: Object.keys(MEASURES).map((name) => ({
      what: `${name}, with ${number(SMALLER * TIMES)} visits`,
      got: `${large.times[name].toFixed(1)} ms`,
      against: `${small.times[name].toFixed(1)} ms with ${number(SMALLER)} visits`,
      figure: large.times[name] / Math.max(1, small.times[name]),
      most: MOST,
    })),
    problems: [...small.problems, ...large.problems],
  };
}

async function measured({ engine, fresh, visits }) {
  const { database, drop } = await fresh();
  const program = await openProgram({
    engine: engine.name,
    database,
    size: { ...LARGE, visits, referrals: visits / 10 },
    options: { tracking: { retentionDays: RETENTION_DAYS } },
  });
  const [times, problems] = [{}, []];
  try {
    for (const [name, measure] of Object.entries(MEASURES)) {
      try {
        times[name] = await measure(program);
      } catch (error) {
        times[name] = Number.NaN;
        problems.push(`${name}, ${visits} visits: ${error.message}`);
      }
      console.log(
        `${engine.title}, ${visits.toLocaleString('en')} visits: ${name}: ${times[name].toFixed(1)} ms`,
      );
    }
  } finally {
    await program.host.kill();
    await drop();
  }
  return { times, problems };
}

const visitsOf = async ({ url, headers }) =>
  (await (await fetch(`${url}/visits?per_page=1`, { headers })).json()).visits.total;

/** Every click comes from another visitor. */
const click = ({ site }, at) =>
  timed(`${site}/?ref=7`, {
    headers: {
      'User-Agent': `Mozilla/5.0 (X11; Linux x64) Chrome/140.0.${at}.0`,
      Accept: 'text/html',
      'Sec-Fetch-Dest': 'document',
      'X-Forwarded-For': `203.0.113.${at + 1}`,
    },
  });

async function timed(url, request) {
  const began = performance.now();
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (answer.status >= 400 && answer.status !== 404)
    throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return performance.now() - began;
}

async function median(count, once) {
  await once(count); // what the first of its kind has to prepare
  const times = [];
  for (let at = 0; at < count; at += 1) times.push(await once(at));
  return times.toSorted((a, b) => a - b)[(count - 1) / 2];
}
