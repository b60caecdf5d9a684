// The host under measurement: a bare Express application and the same page behind the service.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import createKnex from 'knex';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';

const USERS = 200; // the interface takes 1,200 requests per user and minute
const page = (_req, res) => { res.type('html').send('<!doctype html><title>Shop</title><h1>Mugs</h1>'); };

const [{ database }] = await once(process, 'message');
const host = createMemoryHost({
  site: { url: 'http://localhost', name: 'Shop' },
  users: [
    { id: 1, login: 'alice', email: 'alice@example.test' },
    ...Array.from({ length: USERS }, (_, i) => ({ id: 1000 + i, login: `admin${i}`, email: `admin${i}@example.test`, capabilities: ['manage_options'] })),
  ],
});
const service = createAffiliateService(host, {
  database, secret: 'a secret that is long enough for the bench', jobs: false, tracking: { trustProxy: ['127.0.0.1', '::1'] },
  logger: { debug() {}, info() {}, warn() {}, error: (message, fields) => { console.error(message, fields); } },
});
await service.ready();
const affiliate = await service.affiliates.create({ user_id: 1, status: 'active', payment_email: 'alice@example.test' });

const bare = express();
bare.get('/', page);
const site = express();
service.mount(site);
site.get('/', page);
site.post('/checkout', async (req, res) => {
  const { created, reason } = await service.conversions.record(req, {
    provider: 'bench', reference: randomUUID(), type: 'sale', status: 'unpaid',
    order: { subtotal: '100.00', tax: '8.00', shipping: '5.00' }, customer: { email: `${randomUUID()}@example.test` },
  });
  res.status(created ? 200 : 500).json({ created, reason });
});

const listen = async (app) => {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
};
const urls = { bare: await listen(bare), site: await listen(site) };
const signIns = Array.from({ length: USERS }, (_, i) => host.signIn(1000 + i));
const first = await fetch(`${urls.site}/?ref=alice`, { headers: { 'User-Agent': 'Mozilla/5.0 Chrome/126.0 Safari/537.36', Accept: 'text/html' } });
const cookie = first.headers.getSetCookie()[0]?.split(';')[0];
if (!cookie) throw new Error('the click of the preparation was not counted');
process.send({ ...urls, signIns, cookie, version: await versionOf(), read: `${service.basePath}/affiliates/${affiliate.id}` });

await once(process, 'message');
const violations = await service.verify();
await service.close();
const count = async (knex, table) => Number((await knex(table).count({ n: '*' }))[0].n);
const knex = connect();
const books = { visits: await count(knex, 'fa_visits') - 1, referrals: await count(knex, 'fa_referrals'), violations: violations.map((violation) => JSON.stringify(violation)) };
await knex.destroy();
process.send(books, () => process.exit(0));

function connect() {
  return createKnex({ ...database, useNullAsDefault: true, ...(database.client === 'better-sqlite3' ? { connection: { filename: database.connection } } : {}) });
}

async function versionOf() {
  const own = connect();
  const sql = database.client === 'better-sqlite3' ? 'select sqlite_version() as v' : 'select version() as v';
  const answer = await own.raw(sql);
  await own.destroy();
  const rows = answer.rows ?? (Array.isArray(answer[0]) ? answer[0] : answer);
  return String(rows[0].v).split(' ').slice(0, 2).join(' ');
}
