// The host under measurement: a bare Express application, the same page behind the
// service, and the baselines by hand.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { byHandHandlers, recordConversion } from './by-hand.mjs';
import { connect } from './engines.mjs';

const USERS = 200; // the interface takes 1,200 requests per user and minute
const page = (_req, res) => {
  res.type('html').send('<!doctype html><title>Shop</title><h1>Mugs</h1>');
};
const order = (reference, email) => ({
  provider: 'bench',
  reference,
  type: 'sale',
  status: 'unpaid',
  order: { subtotal: '100.00', tax: '8.00', shipping: '5.00' },
  customer: { email },
});

const [{ database }] = await once(process, 'message');
const host = createMemoryHost({
  site: { url: 'http://localhost', name: 'Shop' },
  users: [
    { id: 1, login: 'alice', email: 'alice@example.test' },
    ...Array.from({ length: USERS }, (_, i) => ({
      id: 1000 + i,
      login: `admin${i}`,
      email: `admin${i}@example.test`,
      capabilities: ['manage_options'],
    })),
  ],
});
const opened = async (on) => {
  const { service, app } = openService(host, {
    database: on,
    secret: 'a secret that is long enough for the bench',
    jobs: false,
    tracking: { trustProxy: ['127.0.0.1', '::1'] },
    logger: {
      debug() {},
      info() {},
      warn() {},
      error: (message, fields) => {
        console.error(message, fields);
      },
    },
  });
  await service.ready();
  return { service, knex: app.db.knex };
};
const listen = async (app) => {
  const server = app.listen(0); // on IPv6 too, as hosts listen
  server.keepAliveTimeout = 0; // seeding takes longer than connections are kept
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
};
const siteOf = (service) => {
  const site = express();
  service.mount(site);
  site.get('/', page);
  site.post('/checkout', async (req, res) => {
    const { created, reason } = await service.conversions.record(
      req,
      order(randomUUID(), `${randomUUID()}@example.test`),
    );
    res.status(created ? 200 : 500).json({ created, reason });
  });
  return site;
};
const clickedAt = async (url) => {
  const first = await fetch(`${url}/?ref=alice`, {
    headers: { 'User-Agent': 'Mozilla/5.0 Chrome/126.0 Safari/537.36', Accept: 'text/html' },
  });
  const cookie = first.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new Error('the click of the preparation was not counted');
  return cookie;
};
const alice = { user_id: 1, status: 'active', payment_email: 'alice@example.test' };

const { service } = await opened(database);
const affiliate = await service.affiliates.create(alice);
const read = `${service.basePath}/affiliates/${affiliate.id}`;
const bare = express();
bare.get('/', page);
bare.post('/checkout', page);
bare.get(read, page);
const referrals = { path: `${service.basePath}/referrals`, ids: [] };
for (let at = 0; at < USERS; at += 1) {
  const ordered = { ...order(randomUUID(), `${randomUUID()}@example.test`), affiliate: affiliate.id };
  const { referral } = await service.conversions.record(null, ordered);
  referrals.ids.push(referral.id);
}
bare.use(referrals.path, page);
const urls = { bare: await listen(bare), site: await listen(siteOf(service)) };
if (database.client === 'better-sqlite3') urls.byHand = await listen(await byHand());
const cookie = await clickedAt(urls.site);
const signIns = Array.from({ length: USERS }, (_, i) => host.signIn(1000 + i));
process.send({
  ...urls,
  signIns,
  cookie,
  version: await versionOf(),
  read,
  referrals,
  affiliate: affiliate.id,
});

process.on('message', (message) => {
  if (message === 'end') void end();
  else process.send(Object.values(process.cpuUsage()).reduce((sum, part) => sum + part, 0));
});

async function end() {
  const violations = await service.verify();
  await service.close();
  const knex = connect(database);
  const count = async (table) => Number((await knex(table).count({ n: '*' }))[0].n);
  const books = {
    visits: (await count('fa_visits')) - 1,
    referrals: await count('fa_referrals'),
    violations: violations.map((violation) => JSON.stringify(violation)),
  };
  await knex.destroy();
  process.send(books, () => process.exit(0));
}

/**
 * A database of the same schema for the baselines, and the statements the service
 * sends there for one conversion.
 */
async function byHand() {
  const file = `${database.connection}.by-hand`;
  const { service: recording, knex } = await opened({ ...database, connection: file });
  await recording.affiliates.create(alice);
  const url = await listen(siteOf(recording));
  const request = { headers: { cookie: await clickedAt(url) } };
  const statements = await recordConversion({
    file,
    knex,
    record: (reference, email) => recording.conversions.record(request, order(reference, email)),
  });
  await recording.close();
  const app = express();
  const handlers = byHandHandlers(file, statements);
  app.post('/checkout', handlers.conversion);
  app.get(`${service.basePath}/affiliates/:id`, handlers.read);
  return app;
}

async function versionOf() {
  const knex = connect(database);
  const answer = await knex.raw(
    database.client === 'better-sqlite3'
      ? "select 'SQLite ' || sqlite_version() as v"
      : 'select version() as v',
  );
  await knex.destroy();
  const rows = answer.rows ?? (Array.isArray(answer[0]) ? answer[0] : answer);
  return String(rows[0].v).split(' ').slice(0, 2).join(' ');
}
