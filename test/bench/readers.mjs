// Every list, search and report of a million visits, read by sixteen at once: how long the slowest wait.
import { GROWTH } from './lists.mjs';
import { openProgram } from './program.mjs';
import { LARGE } from './seed.mjs';

const READERS = 16;
const REQUESTS = 400;
const REQUESTS_OF_OWNER = 160; // the interface takes 1,200 per user and minute
const SECONDS = Number(process.env.BENCH_READ_SECONDS ?? 3);
const SEARCHES = [
  '/visits?search=campaign-7',
  '/referrals?search=Order%2077',
  '/visits?page=10000&per_page=10',
].map((path) => [path]);

export async function readers({ engine, database }) {
  const { host, get } = await openProgram({ engine: engine.name, database, size: LARGE });
  try {
    const lists = new Map();
    const problems = [];
    for (const [path, who] of [...GROWTH, ...SEARCHES]) {
      const seen = { path, ...(await read(() => get(path, who), who ? REQUESTS_OF_OWNER : REQUESTS)) };
      if (seen.ended > 0)
        problems.push(`${READERS} readers: ${path}: ${seen.ended} ended at the statement limit`);
      const list = path.includes('search=') || path.includes('page=10000') ? path : path.split('?')[0];
      if (seen.ratio >= (lists.get(list)?.ratio ?? 0)) lists.set(list, seen);
    }
    return {
      rows: [...lists].map(([list, { path, median, p99, ratio }]) => ({
        what: `${READERS} readers: ${list}`,
        got: `p99 ${p99.toFixed(1)} ms${path === list ? '' : ` (${path.split('?')[1]})`}`,
        against: `its own median: ${median.toFixed(1)} ms`,
        figure: ratio,
        most: 10,
      })),
      problems,
    };
  } finally {
    await host.kill();
  }
}

/** Sixteen of the same request on their way all the time: the median and the 99th percentile of the later ones. */
async function read(ask, most) {
  const times = [];
  let ended = 0;
  const until = performance.now() + SECONDS * 1000;
  let sent = 0;
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      while (sent < most && performance.now() < until) {
        sent += 1;
        try {
          times.push(await ask());
        } catch (error) {
          if (error.status !== 503 && error.status !== 422) throw error; // 422: the search took too long
          ended += 1;
        }
      }
    }),
  );
  const later = times.slice(Math.min(2 * READERS, times.length - 1)).sort((a, b) => a - b);
  const [median, p99] = [0.5, 0.99].map(
    (share) => later[Math.floor((later.length - 1) * share)] ?? Number.NaN,
  );
  return { median, p99, ratio: p99 / median, ended };
}
