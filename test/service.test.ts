import { createServer } from 'node:http';
import { queryObjects } from 'node:v8';
import { expect, it } from '@jest/globals';
import request from 'supertest';
import { createMemoryHost } from '../adapters/memory-host.js';
import { createAffiliateService } from '../src/service/service.js';
import { testLog } from './database/support.js';
import { startApp } from './support/app.js';
import { preparedDatabase, testDatabase } from './support/databases.js';

it('carries a click through order, commission and payout', async () => {
  const t = await startApp({ rate: 10 });
  const alice = await t.records.affiliate({ user_id: 2 });

  const landing = await request(t.server)
    .get(`/?ref=${alice.id}`)
    .set({ Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
    .expect(200);
  const cookie = String(landing.headers['set-cookie']).split(';')[0]!;
  const recorded = await t.service.conversions.record({ headers: { cookie } } as never, {
    provider: 'shop',
    reference: 'order-1',
    type: 'sale',
    status: 'unpaid',
    order: { subtotal: '100.00', currency: 'USD' },
    customer: { email: 'jo@example.test' },
  });
  expect(recorded).toMatchObject({
    created: true,
    referral: { amount_minor: 1000, status: 'unpaid', affiliate_id: alice.id },
  });

  const payout = await t.records.payout();
  expect(payout).toMatchObject({ total_amount: 10, status: 'processing' });
  await t.admin.patch(`/payouts/${payout.id}/transactions/bulk-action`).send({ status: 'paid' }).expect(200);

  const { body } = await t.admin.get(`/affiliates/${alice.id}`).expect(200);
  expect(body.affiliate).toMatchObject({ total_earnings: 10, unpaid_earnings: 0, referrals: 1, visits: 1 });
});

it('credits an order whose request was kept as headers alone', async () => {
  const t = await startApp({ rate: 10 });
  const alice = await t.records.affiliate({ user_id: 2 });
  const landing = await request(t.server)
    .get(`/?ref=${alice.id}`)
    .set({ Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
  const kept = {
    method: 'POST',
    url: '/checkout',
    headers: { cookie: String(landing.headers['set-cookie']).split(';')[0]! },
  };

  const { referral } = await t.service.conversions.record(kept as never, {
    provider: 'shop',
    reference: 'order-2',
    status: 'unpaid',
    order: { subtotal: '50.00' },
  });

  expect(referral).toMatchObject({ affiliate_id: alice.id, amount_minor: 500 });
});

it('serves hosts without Express: a plain server of node', async () => {
  const t = await startApp();
  const { tracker, router, basePath } = t.service;
  const server = createServer((req, res) => {
    const outside = (): void => {
      res.writeHead(200, { 'Content-Type': 'text/html' }).end('page');
    };
    if (!req.url?.startsWith(basePath)) return tracker(req, res, outside);
    req.url = req.url.slice(basePath.length);
    return router(req, res, outside);
  });
  const alice = await t.records.affiliate({ user_id: 2 });

  const page = await request(server)
    .get(`/?ref=${alice.id}`)
    .set({ Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
    .expect(200);
  expect(String(page.headers['set-cookie'])).toContain(`=${alice.id}%7C`);
  const { body } = await request(server)
    .get(`${basePath}/affiliates/${alice.id}?x=1`)
    .set(t.headers(1))
    .expect(200);
  expect(body.affiliate).toMatchObject({ id: alice.id, visits: 1 });
  await request(server).get(`${basePath}/affiliates`).expect(401);
  await request(server)
    .get(`${basePath}/nowhere`)
    .set(t.headers(1))
    .expect(404, /rest_no_route/);
  server.close();
});

it('answers what comes after it was closed, and lets pages pass', async () => {
  const service = createAffiliateService(createMemoryHost({ users: [] }), {
    database: await testDatabase({ purpose: 'closed', shared: true }),
    jobs: false,
    logger: testLog(),
  });
  const { tracker, router } = service;
  const server = createServer((req, res) => {
    const outside = (): void => {
      res.writeHead(200, { 'Content-Type': 'text/html' }).end('page');
    };
    if (!req.url?.startsWith('/api')) return tracker(req, res, outside);
    req.url = req.url.slice('/api'.length);
    return router(req, res, outside);
  });
  await request(server).get('/api/affiliates').expect(401);
  await Promise.all([service.close(), service.close()]);

  const answer = await request(server).get('/api/affiliates').expect(503);
  expect(answer.body).toMatchObject({ code: 'service_closed', data: { status: 503 } });
  expect(answer.headers['retry-after']).toBe('2');
  await request(server).get('/?ref=2').set({ Accept: 'text/html' }).expect(200, 'page');
  await request(server)
    .get('/api/go/summer')
    .expect(503, /service_closed/);
  await expect(service.verify()).rejects.toMatchObject({ code: 'service_closed' });
  server.close();
});

it('lists without arguments what a request without parameters lists', async () => {
  const { service, records } = await startApp();
  const alice = await records.affiliate({ user_id: 2 });
  const { affiliates, audit, creatives, customers, fraud, groups, links, payouts, referrals, visits } =
    service;

  for (const list of [audit, creatives, customers, fraud, groups, links, payouts, visits])
    expect(await list.list({})).toMatchObject({ page: 1, per_page: 20 });
  expect(await referrals.list()).toMatchObject({ rows: [], total: 0 });
  expect(await referrals.stale({ per_page: 5 })).toMatchObject({ rows: [], page: 1, per_page: 5 });
  expect(await affiliates.list({ search: undefined })).toMatchObject({ rows: [{ id: alice.id }] });

  await records.referral({ affiliate_id: alice.id, amount: 5 });
  const payout = await records.payout();
  const { endpoint } = await service.webhooks.createEndpoint({
    url: 'https://crm.example.test/',
    events: ['*'],
  });
  expect(await payouts.transactions(payout.id)).toMatchObject({ page: { page: 1, per_page: 20 } });
  expect(await service.webhooks.deliveries(endpoint.id)).toMatchObject({ rows: [], page: 1, per_page: 20 });
  await service.webhooks.lineUp();
  expect((await service.webhooks.list())[0]).toMatchObject({ type: 'affiliate.created' });
});

it('has the services under their earlier names too', async () => {
  const { service } = await startApp();

  expect(service.events).toBe(service.webhooks);
  expect(service.integrations).toBe(service.commerce);
  expect(service.migrations).toBe(service.imports);
  expect(service.sites).toBe(service.connectedSites);
});

it('gives hooks the services under both names', async () => {
  const t = await startApp();
  let seen: boolean | undefined;
  t.service.hooks.addAction('group.deleted', (_group, ctx) => {
    seen = ctx.service.integrations === ctx.service.commerce;
  });
  const group = await t.records.group({ meta_key: 'VIP' });
  await t.service.groups.remove(group.id);

  expect(seen).toBe(true);
});

it('leaves nothing in memory of services that were closed', async () => {
  const options = { secret: 'a secret that is long enough for the tests', jobs: false };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const openAndClose = async (times: number): Promise<number> => {
    for (let at = 0; at < times; at += 1) {
      const database = await preparedDatabase();
      const service = createAffiliateService(createMemoryHost(), { ...options, logger: log, database });
      await service.ready();
      await service.close();
    }
    return queryObjects(Object, { format: 'count' }); // collects garbage first
  };
  const before = await openAndClose(10);

  expect((await openAndClose(20)) - before).toBeLessThan(100); // SQLite's driver keeps one for each
});
