import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import createKnex from 'knex';
import request from 'supertest';
import { standardProvider } from '../adapters/commerce/standard.js';
import { run } from '../cli/run.js';
import { startApp, type TestApp } from './support/app.js';
import { order, SECRET, sign } from './support/commerce.js';
import { emptyDatabase, testDatabase, testEngine } from './support/databases.js';
import { temporaryFolder } from './support/folders.js';
import { cookieOf, NAVIGATION } from './support/tracker.js';

// A program grows from SQLite to a server while visitors click and a shop sends what is ordered.

/** The address of the shop: whichever host runs answers, and 503 while none does. */
async function frontDoor(): Promise<{ server: Server; runs(host: TestApp | null): void }> {
  let current: Server | null = null;
  const server = createServer((req, res) => {
    if (current === null) res.writeHead(503).end();
    else current.emit('request', req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    runs: (host) => {
      current = host?.server ?? null;
    },
  };
}

async function emptyTarget(): Promise<{ client: string; connection: string }> {
  const database = await testDatabase({ purpose: 'grow', shared: true });
  if (testEngine() === 'sqlite') return database;
  const t = await startApp({ database, keep: true, shared: true }); // makes the tables where there are none
  await t.close();
  const knex = createKnex({ client: database.client, connection: database.connection });
  await emptyDatabase(knex, 'fa_');
  await knex.destroy();
  return database;
}

/** A shop that sends each delivery again, unchanged, until it is taken. */
function shop(front: Server, now: () => number) {
  const sent = new Set<Promise<void>>();
  let repeats = 0;
  const deliver = async (reference: string, token: string | null): Promise<void> => {
    const event = {
      at: now(),
      type: 'order.paid',
      order: order({ id: reference, ...(token === null ? {} : { attribution: { token } }) }),
    };
    const [body, seconds] = [JSON.stringify(event), Math.floor(now() / 1000)];
    for (let tries = 0; tries < 600; tries += 1) {
      const { status } = await request(front)
        .post('/wp-json/affiliate-service/v2/webhooks/demo')
        .set({
          'webhook-id': `msg_${reference}`,
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': sign(`msg_${reference}`, seconds, body),
          'Content-Type': 'application/json',
        })
        .send(body);
      if (status < 300) return;
      expect([status, reference]).toEqual([503, reference]);
      repeats += 1;
      await sleep(50);
    }
    throw new Error(`${reference} was never taken`);
  };
  return {
    send: (reference: string, token: string | null) => {
      sent.add(deliver(reference, token));
    },
    async settled(): Promise<number> {
      await Promise.all(sent);
      return repeats;
    },
  };
}

async function switchOn(host: TestApp): Promise<void> {
  const enabled = { integration: 'demo', is_enabled: 'yes' };
  await host.admin.post('/settings/integration/update-status').send(enabled).expect(200);
}

/** The command; the sums of both sides are equal. */
async function move(from: string, to: string): Promise<void> {
  const seen = { out: '', err: '' };
  const terminal = {
    out: (text: string) => void (seen.out += text),
    err: (text: string) => void (seen.err += text),
    live: false,
  };
  const argv = ['move', '--database', from, '--to', to, '--json'];
  const code = await run(argv, terminal, new AbortController().signal);
  expect([code, seen.err]).toEqual([0, expect.stringContaining('Moved.')]);
  const { sums } = JSON.parse(seen.out) as { sums: { minor: number; moved: number }[] };
  expect(sums.length).toBeGreaterThan(0);
  expect(sums.map(({ moved }) => moved)).toEqual(sums.map(({ minor }) => minor));
}

/** Order, affiliate and commission of everything that earned. */
async function creditedIn(host: TestApp): Promise<unknown[]> {
  const { body } = await host.admin.get('/referrals?per_page=50').expect(200);
  const rows = body.referrals.data as { provider_id: string; affiliate_id: number; amount: number }[];
  return rows
    .toSorted((a, b) => a.provider_id.localeCompare(b.provider_id))
    .map(({ provider_id: order, affiliate_id: affiliate, amount }) => [order, affiliate, amount]);
}

it('moves with its visitors and loses no delivery', async () => {
  const path = `${temporaryFolder()}/program.sqlite`;
  const options = {
    shared: true,
    rate: 10,
    providers: [standardProvider({ key: 'demo', secrets: [SECRET] })],
  };
  const old = await startApp({ ...options, database: { client: 'better-sqlite3', connection: path } });
  const alice = await old.records.affiliate({ user_id: 2, custom_param: 'ally' });
  await switchOn(old);
  const front = await frontDoor();
  front.runs(old);
  const deliveries = shop(front.server, () => old.clock.time);
  const tokenOf = (host: TestApp, cookie: string) =>
    host.service.checkoutToken({ headers: { cookie } } as never);
  const visit = (cookie = '') =>
    request(front.server)
      .get('/?ref=ally')
      .set({ ...NAVIGATION, ...(cookie && { Cookie: cookie }) });

  // before: visitors click; some orders are settled, some only received
  const cookies = (await Promise.all([visit(), visit(), visit(), visit()])).map(cookieOf);
  expect(cookies.every((cookie) => cookie.startsWith('f_aff='))).toBe(true);
  await old.service.tracking.flush?.();
  for (const n of [0, 1]) deliveries.send(`A-${n}`, await tokenOf(old, cookies[n] ?? ''));
  await deliveries.settled();
  old.clock.advance(5000);
  await old.service.jobs.runDue();
  deliveries.send('A-2', await tokenOf(old, cookies[2] ?? ''));
  await deliveries.settled();
  const late = await tokenOf(old, cookies[3] ?? ''); // on a checkout page that stays open during the move

  // the host stops; the shop and the visitors do not
  front.runs(null);
  await old.close();
  deliveries.send('A-3', late);
  expect((await visit()).status).toBe(503);
  const target = await emptyTarget();
  await move(path, target.connection);

  // after: the same cookies, tokens and deliveries
  const moved = await startApp({ ...options, database: target as never, keep: true });
  moved.clock.time = old.clock.time;
  front.runs(moved);
  expect(await deliveries.settled()).toBeGreaterThan(0); // A-3 was refused at least once
  deliveries.send('A-4', await tokenOf(moved, cookies[0] ?? ''));
  deliveries.send('A-5', await tokenOf(moved, cookieOf(await visit(cookies[1])) || (cookies[1] ?? '')));
  await deliveries.settled();
  moved.clock.advance(60_000);
  await moved.service.jobs.runDue();
  expect(await creditedIn(moved)).toEqual([0, 1, 2, 3, 4, 5].map((n) => [`A-${n}`, alice.id, 9]));
  expect(await moved.service.verify()).toEqual([]);
  await moved.close();
  front.server.close();
}, 120_000);
