import { request as ask } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { policies } from '../../src/platform/access/policies.js';
import { routesFor } from '../../src/platform/http/define-route.js';
import { listQuery } from '../../src/platform/http/schema.js';
import { BASE, startHarness, type Harness } from './harness.js';

// Lists that run until the door is opened, and how many of them run at the same time.
const begun: string[] = [];
let running = 0;
let most = 0;
let open: () => void;
let door: Promise<void>;
const list = routesFor<unknown>('things')({
  id: 'things.list',
  method: 'get',
  paths: ['/things'],
  access: policies.section('affiliates'),
  summary: 'List',
  query: listQuery(10, {}),
  response: Type.Object({}, { additionalProperties: true }),
  handler: async ({ query }) => {
    begun.push(query.search);
    running += 1;
    most = Math.max(most, running);
    await door;
    running -= 1;
    return {};
  },
});

let t: Harness;
beforeAll(async () => {
  t = await startHarness([list]);
});
beforeEach(() => {
  begun.length = 0;
  most = 0;
  door = new Promise((resolve) => {
    open = resolve;
  });
});
afterAll(() => t.close());

const statuses = async (paths: readonly string[]): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await t.send(1, 'get', path)).status));

/** Opens the door once this holds; the test's time limit ends a wait for what never comes. */
async function openWhen(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
  open();
}

it('searches run one after another, other lists beside them', async () => {
  const answers = statuses([
    '/things?search=a',
    '/things?search=b',
    '/things',
    '/things?search=c',
    '/things',
  ]);
  await openWhen(() => begun.length === 3);

  expect(await answers).toEqual([200, 200, 200, 200, 200]);
  expect([begun.toSorted(), most]).toEqual([['', '', 'a', 'b', 'c'], 3]);
});

it('a search that nobody waits for any more does not run', async () => {
  const first = statuses(['/things?search=first']);
  while (begun.length === 0) await sleep(5);
  const { port } = t.server.address() as { port: number };
  const givenUp = ask({ port, path: `${BASE}/things?search=given-up`, headers: t.headers(1) });
  givenUp.on('error', () => {});
  givenUp.end();
  await sleep(100);
  givenUp.destroy();
  await sleep(100);
  const last = statuses(['/things?search=last']);
  open();

  expect([await first, await last]).toEqual([[200], [200]]);
  expect(begun).toEqual(['first', 'last']);
});

it('more than 50 waiting searches are refused', async () => {
  const seen: number[] = [];
  const all = Array.from({ length: 60 }, async (_, at) => {
    const [status = 0] = await statuses([`/things?search=${at}`]);
    seen.push(status);
  });
  await openWhen(() => seen.length === 10);
  await Promise.all(all);

  expect(seen.slice(0, 10)).toEqual(Array(10).fill(503));
  expect(seen.slice(10)).toEqual(Array(50).fill(200));
});
