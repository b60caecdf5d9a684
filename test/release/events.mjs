// Changes in three processes, killed again and again, told to an endpoint that answers at random:
// is every change told, in order?
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';
import { newDatabase, rowsOf, TITLES, versionOf } from './engines.mjs';

const PROCESSES = 3;
const AFFILIATES = 40;
const SPEED = 300;
const PATIENCE_MS = 300_000; // in which a day of tries passes
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Until `changes` were acknowledged and `kills` made; then until the endpoint has heard of all of them. */
export async function toldEvents(engine, { changes, kills, seconds, random }) {
  const database = await newDatabase(engine);
  const begin = Date.now();
  const clock = { now: () => begin + Math.round((Date.now() - begin) * SPEED) };
  const receiver = await startReceiver(random);
  const service = await programOn(database, clock);
  const knex = database.knex();
  const { endpoint, secret } = await service.webhooks.createEndpoint({
    url: receiver.url,
    events: ['affiliate.updated'],
  });
  const found = {
    title: TITLES[engine],
    version: await versionOf(database),
    acknowledged: new Map(),
    kills: 0,
    problems: [],
  };
  const until = Date.now() + seconds * 1000;
  const living = new Set();
  const proven = new Set(); // have changed something in their life
  let made = 0;
  const live = () => {
    made += 1;
    const order = {
      database: database.config,
      begin,
      speed: SPEED,
      affiliates: AFFILIATES,
      name: `p${made}`,
    };
    const child = fork(new URL('events-worker.mjs', import.meta.url), [JSON.stringify(order)], {
      stdio: 'inherit',
    });
    living.add(child);
    child.on('message', ({ changed, id }) => {
      found.acknowledged.set(changed, id);
      proven.add(child);
    });
  };
  const die = async (child) => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    living.delete(child);
    proven.delete(child);
  };
  try {
    for (let at = 0; at < PROCESSES; at += 1) live();
    while (Date.now() < until && (found.kills < kills || found.acknowledged.size < changes)) {
      await sleep(50 + random() * 200);
      const due = found.acknowledged.size >= ((found.kills + random()) * changes) / kills;
      if (!due || proven.size === 0 || found.kills === kills) continue;
      await die([...proven][Math.floor(random() * proven.size)]);
      found.kills += 1;
      live();
      // Whoever was killed may have held the lease of the endpoint; the program goes on meanwhile.
      await service.webhooks.updateEndpoint(endpoint.id, { status: 'active' });
    }
    for (const child of living) child.send('enough');
    receiver.behave();
    const began = Date.now();
    await drained({ service, knex, endpoint, found, receiver });
    found.drained = (Date.now() - began) / 1000;
    await Promise.all([...living].map(die));
    judge({ found, receiver, secret, events: await allEvents(service) });
    found.violations = await service.verify();
  } finally {
    await Promise.all([...living].map(die));
    await service.close();
    await receiver.close();
    await knex.destroy();
    await database.drop();
  }
  return { ...found, received: receiver.received.length, answers: receiver.counts };
}

async function programOn(database, clock) {
  const users = Array.from({ length: AFFILIATES }, (_, at) => ({
    id: at + 1,
    login: `u${at}`,
    email: `u${at}@shop.test`,
  }));
  const service = createAffiliateService(createMemoryHost({ site: { url: 'https://shop.test' }, users }), {
    database: database.config,
    clock,
    jobs: false,
    logger: quiet,
    secret: 'a secret that is long enough for the tests',
    events: { allowPrivateNetworks: true },
  });
  await service.ready();
  for (const { id } of users)
    await service.affiliates.create({ user_id: id, status: 'active', payment_email: `u${id}@shop.test` });
  return service;
}

/** 200, 500, 429 with Retry-After, a cut or no answer at all, by chance; only 200 counts as heard. */
async function startReceiver(random) {
  const received = [];
  const counts = { taken: 0, refused: 0, limited: 0, cut: 0, hung: 0 };
  let friendly = false;
  const server = createServer((req, res) => {
    const parts = [];
    req.on('data', (part) => parts.push(part));
    req.on('end', () => {
      const at = friendly ? 0 : random();
      const text = Buffer.concat(parts).toString();
      if (at < 0.7) {
        counts.taken += 1;
        received.push({ headers: req.headers, text });
        res.end('ok');
      } else if (at < 0.82) {
        counts.refused += 1;
        res.writeHead(500).end();
      } else if (at < 0.9) {
        counts.limited += 1;
        res.writeHead(429, { 'retry-after': '3' }).end();
      } else if (at < 0.98) {
        counts.cut += 1;
        req.socket.destroy();
      } else counts.hung += 1;
    });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    received,
    counts,
    behave: () => {
      friendly = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/**
 * Waits until nothing waits any more, neither in the queue nor for the endpoint,
 * as long as something arrives now and then.
 */
async function drained({ service, knex, endpoint, found, receiver }) {
  let [arrived, since] = [0, Date.now()];
  while (Date.now() < since + PATIENCE_MS) {
    await service.webhooks.updateEndpoint(endpoint.id, { status: 'active' });
    await service.webhooks.lineUp();
    const pending = await service.webhooks.deliveries(endpoint.id, {
      page: 1,
      per_page: 1,
      status: 'pending',
    });
    const queued = rowsOf(await knex.raw('select id from fa_event_queue limit 1'));
    if (pending.total === 0 && queued.length === 0) return;
    await service.webhooks.deliverDue();
    if (receiver.received.length > arrived) [arrived, since] = [receiver.received.length, Date.now()];
    await sleep(100);
  }
  found.problems.push('deliveries were waiting, and none arrived for five minutes');
}

async function allEvents(service) {
  const events = [];
  for (let after = 0; ;) {
    const page = await service.webhooks.list(after, ['affiliate.updated']);
    if (page.length === 0) return events;
    events.push(...page);
    after = page.at(-1).id;
  }
}

function judge({ found, receiver, secret, events }) {
  const wh = new Webhook(secret);
  const heard = new Map();
  const last = new Map();
  for (const { headers, text } of receiver.received) {
    const now = Date.now;
    Date.now = () => Number(headers['webhook-timestamp']) * 1000;
    try {
      wh.verify(text, headers);
    } catch (error) {
      found.problems.push(`a signature was not accepted: ${error.message}`);
    } finally {
      Date.now = now;
    }
    const id = headers['webhook-id'];
    if (heard.has(id)) continue;
    const { data } = JSON.parse(text);
    heard.set(id, data);
    const number = Number(id.split('_')[1]);
    if (number < (last.get(data.id) ?? 0)) found.problems.push(`affiliate ${data.id}: ${id} came late`);
    last.set(data.id, number);
  }
  const notes = new Set([...heard.values()].map(({ note }) => note));
  for (const note of notes)
    if (note.startsWith('never-')) found.problems.push(`${note} was rolled back, and told`);
  for (const [note] of found.acknowledged)
    if (!notes.has(note)) found.problems.push(`${note} was acknowledged, but not told`);
  for (const { webhook_id: id } of events)
    if (!heard.has(id)) found.problems.push(`${id} is in the list, but was not delivered`);
  found.events = events.length;
}
