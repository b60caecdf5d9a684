// The example host under the load of a busy shop for an hour: does it stay up, answer and keep its memory?
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startExample } from '../examples/start-example.mjs';
import { Visitor } from '../examples/visitor.mjs';
import { MEMORY_SETTINGS } from './processes.mjs';

const MIB = 1024 * 1024;

/**
 * Visitors click, buy and go, an administrator reads lists, for `seconds`;
 * `late` is how long the machine kept this process from its timer.
 */
export async function soak({ seconds, visitors }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'soak-'));
  const host = await startExample('cms-host', { DATA_DIR: dataDir, ...MEMORY_SETTINGS });
  const found = { statuses: {}, orders: 0, wrong: [], memory: [], late: 0, ended: null };
  host.exited.then((code) => {
    found.ended ??= code;
  });
  const began = Date.now();
  const until = began + seconds * 1000;
  const goesOn = () => Date.now() < until && found.ended === null;
  const ask = async (request) => {
    const answer = await request().catch((error) => ({ status: 0, text: String(error.cause ?? error) }));
    found.statuses[answer.status] = (found.statuses[answer.status] ?? 0) + 1;
    if (answer.status === 0 || answer.status >= 500)
      found.wrong.push(
        `second ${Math.round((Date.now() - began) / 1000)}, ${answer.status}: ${answer.text.slice(0, 100)}`,
      );
    return answer;
  };
  const measure = setInterval(() => found.memory.push(memoryOf(host.pid)), 60_000);
  let due = Date.now() + 1000;
  const wait = setInterval(() => {
    found.late = Math.max(found.late, Date.now() - due);
    due = Date.now() + 1000;
  }, 1000);
  try {
    found.memory.push(memoryOf(host.pid));
    const admin = new Visitor(host.url);
    await admin.signIn('admin');
    await Promise.all([
      readLists(admin, ask, goesOn),
      ...Array.from({ length: visitors }, (_, at) => keepBuying(host.url, at, { ask, goesOn, found })),
    ]);
    const alive = found.ended === null;
    found.memory.push(memoryOf(host.pid));
    if (!alive) found.wrong.push(`the host ended with ${found.ended}`);
  } finally {
    clearInterval(measure);
    clearInterval(wait);
    found.ended ??= 'stopped';
    await host.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return found;
}

async function keepBuying(url, name, { ask, goesOn, found }) {
  for (let at = 0; goesOn(); at++) {
    const visitor = new Visitor(url);
    await ask(() => visitor.open('/?ref=alice'));
    const { status } = await ask(() =>
      visitor.post('/cart/checkout', {
        checkout_key: `soak-${name}-${at}`,
        items: [{ id: 1 + (at % 6), quantity: 1 }],
        email: `soak-${name}-${at}@example.test`,
        first_name: 'Jo',
        last_name: 'Doe',
      }),
    );
    if (status === 200) found.orders += 1;
  }
}

async function readLists(admin, ask, goesOn) {
  const lists = ['affiliates', 'referrals', 'visits', 'payouts', 'reports/dashboard-stats'];
  for (let at = 0; goesOn(); at++) await ask(() => admin.rest('GET', `/${lists[at % lists.length]}`));
}

/** Resident memory of a process, in MiB. */
function memoryOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round((Number(kilobytes) * 1024) / MIB);
}
