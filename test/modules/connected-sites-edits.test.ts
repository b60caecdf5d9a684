import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import {
  connectSite,
  FileQueue,
  MemoryQueue,
  RefusedReport,
  type ConnectConfig,
  type ConnectedSite,
  type ConnectOptions,
} from '../../connected-site/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { connectChild, signed, type Child } from '../support/sites.js';
import { NAVIGATION, trackedSite } from '../support/tracker.js';
import { visitsOf } from '../support/lists.js';

// A primary and a site whose settings, cookies and queue change while both run.

const DAY = 86_400_000;
const FORM = '/settings/connected-sites-config';

let t: TestApp;
let alice: { id: number };
let child: Child;
let isAway: boolean;
let errors: unknown[];
const servers: Server[] = [];

beforeEach(async () => {
  t = await startApp({ rate: 10 });
  alice = await t.records.affiliate();
  child = await connectChild(t);
  isAway = false;
  errors = [];
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const configOf = ({ site_id, server_token, site_url }: Child): ConnectConfig => ({
  site_id,
  server_token,
  site_url,
  primary_url: 'https://shop.test',
  api_url: `http://127.0.0.1:${(t.server.address() as AddressInfo).port}${t.service.basePath}`,
  param_key: 'ref',
  cookie_duration: 30,
  credit_last_referrer: 'yes',
});
const site = (options: ConnectOptions = {}, of: Child = child): ConnectedSite =>
  connectSite(configOf(of), {
    fetch: async (input, init) => {
      if (isAway) throw new TypeError('fetch failed');
      return fetch(input, init);
    },
    attempts: 1,
    now: () => t.clock.now(),
    pageDeadlineMs: 20_000,
    queue: new MemoryQueue(),
    onError: (error) => errors.push(error),
    ...options,
  });

function pages(store: ConnectedSite): Server {
  const app = express();
  app.use(store.tracker);
  app.get('/held', (req, res) => {
    res.json(store.held(req));
  });
  app.post('/buy/:reference', async (req, res) => {
    res.json(await store.recordConversion(req, orderOf(req.params.reference)));
  });
  app.use((_req, res) => {
    res.send('page');
  });
  const server = app.listen(0);
  servers.push(server);
  return server;
}
const open = (server: Server, path: string, cookie = '') =>
  request(server)
    .get(path)
    .set({ ...NAVIGATION, ...(cookie && { Cookie: cookie }) });
const cookieOf = (answer: { headers: Record<string, unknown> }): string =>
  String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
const orderOf = (reference: string) =>
  ({ reference, status: 'unpaid', order: { subtotal: '50.00' } }) as const;
const update = (settings: object) =>
  t.admin
    .patch(`${FORM}/update`)
    .send({ site_id: child.site_id, ...settings })
    .expect(200);
const visits = async (): Promise<string[]> => (await visitsOf(t)).map(({ url }) => url);

describe('a link variable that is changed at the primary', () => {
  it('is read without a restart of the site, and so is the earlier one', async () => {
    const server = pages(site());
    await open(server, '/one?ref=alice');
    await update({ param_key: 'partner' });
    t.clock.advance(2 * 60_000);
    expect(cookieOf(await open(server, '/two?partner=alice'))).toContain(`${alice.id}%7C`);
    t.clock.advance(DAY);
    expect(cookieOf(await open(server, '/three?ref=alice&partner='))).toContain(`${alice.id}%7C`);
    await update({ param_key: 'via' });
    t.clock.advance(DAY);
    for (const name of ['via', 'partner', 'ref'])
      expect(cookieOf(await open(server, `/four?${name}=alice`))).toContain(`${alice.id}%7C`);
    for (const url of await visits()) expect(url).not.toContain('alice');
  });

  it('is asked for once a minute at most, and a page does not wait for a primary that is away', async () => {
    const server = pages(site({ pageDeadlineMs: 50 }));
    isAway = true;
    for (const page of ['/a?x=1', '/b?x=1', '/c?x=1']) await open(server, page).expect(200, 'page');
    expect(errors).toHaveLength(1);
  });

  it('is sent in the handshake, and removed from the addresses of visits', async () => {
    await update({ param_key: 'partner' });
    const { body } = await signed(t, child, 'get', '/connected-sites/handshake').expect(200);
    expect([body.param_key, body.former_params]).toEqual(['partner', ['ref']]);
    await signed(t, child, 'post', '/connected-sites/visits', {
      affiliate_param: 'alice',
      url: 'https://store.test/a?ref=alice&partner=alice&x=1',
    }).expect(200);
    expect(await visits()).toEqual(['https://store.test/a?x=1']);
  });

  it('is read by the primary, too, when a static page of the site leads there', async () => {
    await update({ param_key: 'partner' });
    await t.app.settings.referralConfig();
    const pages = trackedSite(t.app);
    const visit = (path: string): ReturnType<typeof pages.open> => pages.open(path);
    expect(cookieOf(await visit('/shop?partner=alice').expect(200))).toMatch(/^f_aff=/);
    await update({ status: 'inactive' });
    await t.app.settings.referralConfig();
    expect(cookieOf(await visit('/shop?partner=alice').expect(200))).toBe('');
  });

  it.each(['visit_id', 'utm_source', 'a--b', '-', 'réf'])('is not %s', async (name) => {
    const { body } = await t.admin
      .patch(`${FORM}/update`)
      .send({ site_id: child.site_id, param_key: name })
      .expect(422);
    expect(Object.keys(body.errors)).toEqual(['param_key']);
  });
});

describe('the cookie of a site', () => {
  it('is renewed by a return, so an order after the first days is credited', async () => {
    const server = pages(site());
    const first = cookieOf(await open(server, '/?ref=alice'));
    t.clock.advance(29 * DAY);
    const second = cookieOf(await open(server, '/?ref=alice', first));
    expect(second).not.toBe('');
    t.clock.advance(2 * DAY);
    const { body } = await request(server).post('/buy/A-1').set('Cookie', second);
    expect(body.referral).toMatchObject({ affiliate_id: alice.id });
  });

  it('keeps the click that renewed it, which the rules check', async () => {
    await t.service.settings.saveRules({ fraud: { paidTraffic: 'hold', fastOrder: 'flag' } });
    const server = pages(site());
    const first = cookieOf(await open(server, '/?ref=alice'));
    t.clock.advance(25 * DAY);
    const renewed = cookieOf(await open(server, '/?ref=alice&gclid=x', first));
    t.clock.advance(15 * DAY);
    const { body: late } = await request(server).post('/buy/A-1').set('Cookie', renewed);
    expect(late.referral).toMatchObject({ affiliate_id: alice.id, status: 'pending' });
    // a forged or foreign click changes nothing
    const forged = renewed.replace(/.{5}$/u, 'xxxxx');
    const { body: plain } = await request(server).post('/buy/A-2').set('Cookie', forged);
    expect(plain.referral).toMatchObject({ affiliate_id: alice.id, status: 'unpaid' });
    const clean = cookieOf(await open(server, '/?ref=alice', renewed));
    t.clock.advance(2000);
    const { body: fast } = await request(server).post('/buy/A-3').set('Cookie', clean);
    expect(fast.referral).toMatchObject({ status: 'unpaid' });
    const { rows } = await t.service.fraud.list({ page: 1, per_page: 10 });
    expect(rows.map(({ rule }) => rule).toSorted()).toEqual(['fast_order', 'paid_traffic']);
    // on a primary of the same host, too
    const { referral } = await t.service.conversions.record({ headers: { cookie: renewed } } as never, {
      provider: 'shop',
      reference: 'P-1',
      order: { subtotal: '50.00' },
      customer: { email: 'jo@mail.test' },
    });
    expect(referral).toMatchObject({ status: 'pending' });
  });

  it('keeps it while the primary is away', async () => {
    await t.service.settings.saveRules({ fraud: { paidTraffic: 'hold' } });
    const store = site();
    const server = pages(store);
    const first = cookieOf(await open(server, '/?ref=alice'));
    t.clock.advance(2 * DAY);
    const renewed = cookieOf(await open(server, '/?ref=alice&gclid=x', first));
    t.clock.advance(DAY);
    isAway = true;
    const unconfirmed = cookieOf(await open(server, '/?ref=alice', renewed));
    isAway = false;
    await store.deliver();
    const { body } = await request(server).post('/buy/A-1').set('Cookie', unconfirmed);
    expect(body.referral).toMatchObject({ affiliate_id: alice.id, status: 'pending' });
  });

  it('credits no affiliate when it is older than the new cookie lifetime, as on the primary', async () => {
    const store = site();
    const server = pages(store);
    const cookie = cookieOf(await open(server, '/?ref=alice'));
    await update({ cookie_duration: 5 });
    await store.handshake();
    t.clock.advance(6 * DAY);
    const { body } = await request(server).post('/buy/A-1').set('Cookie', cookie);
    expect(body).toEqual({ referral: null, created: false, ignored: 'no_affiliate' });
    expect((await open(server, '/held', cookie)).body).toBeNull();
  });

  it('has a name of its own, so one host can have the primary and two sites', async () => {
    const [first, second] = [
      await connectChild(t, 'https://shop.test/first'),
      await connectChild(t, 'https://shop.test/second'),
    ];
    const bob = await t.records.affiliate({ user_id: 3 });
    const primary = cookieOf(await trackedSite(t.app).open('/?ref=alice').expect(200));
    const [one, two] = [pages(site({}, first)), pages(site({}, second))];
    const ofFirst = cookieOf(await open(one, '/first?ref=alice', primary));
    const ofSecond = cookieOf(await open(two, `/second?ref=${bob.id}`, `${primary}; ${ofFirst}`));
    expect([primary, ofFirst, ofSecond].map((text) => text.split('=')[0])).toEqual([
      'f_aff',
      `f_aff_${first.site_id}`,
      `f_aff_${second.site_id}`,
    ]);
    const all = `${primary}; ${ofFirst}; ${ofSecond}`;
    const bought = async (server: Server, reference: string): Promise<number> =>
      (await request(server).post(`/buy/${reference}`).set('Cookie', all)).body.referral.affiliate_id;
    expect([await bought(one, 'A-1'), await bought(two, 'B-1')]).toEqual([alice.id, bob.id]);
    const creditedBy = async (cookie: string): Promise<number | undefined> =>
      (await t.app.tracking.attribution({ headers: { cookie } } as never))?.affiliate.id;
    expect(await creditedBy(all)).toBe(alice.id);
    expect(await creditedBy(ofSecond)).toBe(bob.id);
    // that of no site, and one that is too old
    expect(await creditedBy(ofSecond.replace(second.site_id, '999999'))).toBeUndefined();
    t.clock.advance(31 * DAY);
    expect(await creditedBy(ofSecond)).toBeUndefined();
  });

  it('of an earlier version goes on crediting', async () => {
    const { body } = await request(pages(site())).post('/buy/A-1').set('Cookie', `f_aff=${alice.id}%7C`);
    expect(body.referral).toMatchObject({ affiliate_id: alice.id });
  });

  it('is reported for an order that is made later', async () => {
    const store = site();
    const server = pages(store);
    const cookie = cookieOf(await open(server, '/?ref=alice'));
    const held = (await open(server, '/held', cookie)).body;
    expect(held).toEqual({
      affiliate_param: String(alice.id),
      visit_id: expect.any(Number),
      click: expect.any(String),
    });
    expect(await store.recordConversion(null, { ...orderOf('A-1'), ...held })).toMatchObject({
      created: true,
      referral: { affiliate_id: alice.id },
    });
  });
});

describe('a report that the primary would refuse', () => {
  const order = { ...orderOf('A-1'), affiliate_param: 'alice' };

  it.each<[string, object]>([
    ['order.subtotal', { order: { subtotal: '0.005' }, currency: 'USD' }],
    ['order.subtotal', { order: { subtotal: '50.5' }, currency: 'JPY' }],
    ['order.subtotal', { order: { subtotal: '-1' } }],
    ['order.subtotal', { order: {} }],
    ['order.discont', { order: { subtotal: '5', discont: '1' } }],
    ['currency', { currency: 'DLR' }],
    ['status', { status: 'paid' }],
    ['visit_id', { visit_id: 0 }],
    ['products.0.item_id', { products: [{ title: 'x' }] }],
    ['products.0.price', { products: [{ item_id: 1, price: '5' }] }],
    ['customer.mail', { customer: { mail: 'a@b.test' } }],
    ['reference', { reference: '..' }],
    ['reference', { reference: 'x'.repeat(151) }],
  ])('is refused at once with %s, also while it is away', async (field, more) => {
    const store = site();
    isAway = true;
    await expect(store.recordConversion(null, { ...order, ...more })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(`${field}: `),
    });
    expect(await store.waiting()).toBe(0);
    isAway = false;
    const { body } = await signed(t, child, 'post', '/connected-sites/referrals', { ...order, ...more });
    expect(body.code).toBe('validation_failed');
  });

  it.each<[string, object]>([
    ['refund_total', { status: 'unpaid', refund_total: '50.00' }],
    ['status', {}],
    ['refunded_total', { refunded_total: 'much' }],
  ])('is refused as a change at once with %s', async (field, change) => {
    const store = site();
    isAway = true;
    await expect(store.updateConversion('A-1', change)).rejects.toThrow(`${field}: `);
    isAway = false;
    await signed(t, child, 'post', '/connected-sites/referrals', order).expect(200);
    const { body } = await signed(t, child, 'patch', '/connected-sites/referrals/A-1', change).expect(422);
    expect(Object.keys(body.errors)).toHaveLength(1);
  });

  it('has no decimals beyond the currency of its order, as a refund, too', async () => {
    await signed(t, child, 'post', '/connected-sites/referrals', order).expect(200);
    const { body } = await signed(t, child, 'patch', '/connected-sites/referrals/A-1', {
      refunded_total: '0.005',
    }).expect(422);
    expect(body.errors).toMatchObject({ refunded_total: { decimals: expect.any(String) } });
  });

  it('only when it arrives is kept in a folder and named', async () => {
    const folder = temporaryFolder();
    const store = site({ queue: new FileQueue(folder, () => t.clock.now()) });
    isAway = true;
    expect(await store.recordConversion(null, { ...order, visit_id: 999_999 })).toMatchObject({
      queued: true,
    });
    await store.recordConversion(null, { ...order, reference: 'A-2' });
    isAway = false;
    expect(await store.deliver()).toEqual({ delivered: 1, waiting: 0 });
    const [refused] = errors.filter((error) => error instanceof RefusedReport);
    const [kept = ''] = readdirSync(join(folder, 'refused'));
    expect(refused).toMatchObject({
      code: 'visit_mismatch',
      message: expect.stringContaining('order A-1'),
      report: { kind: 'conversion', fields: { reference: 'A-1', order: { subtotal: '50.00' } } },
      file: join(folder, 'refused', kept),
    });
    expect(JSON.parse(readFileSync(join(folder, 'refused', kept), 'utf8'))).toMatchObject({
      fields: { reference: 'A-1' },
      refused: expect.any(String),
    });
    expect(await store.waiting()).toBe(0);
  });
});

it('a file in the queue that is no report is moved away, and the others are sent', async () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '0000000000000001-000000-empty.json'), '');
  writeFileSync(join(folder, '0000000000000002-000000-null.json'), 'null');
  const store = site({ queue: new FileQueue(folder, () => t.clock.now()) });
  isAway = true;
  await store.recordConversion(null, { ...orderOf('A-1'), affiliate_param: 'alice' });
  isAway = false;
  expect(await store.deliver()).toEqual({ delivered: 1, waiting: 0 });
  expect(readdirSync(join(folder, 'refused')).toSorted()).toEqual([
    '0000000000000001-000000-empty.json',
    '0000000000000002-000000-null.json',
  ]);
  expect(errors.filter((error) => error instanceof RefusedReport)).toHaveLength(2);
});

it('a change that could not be booked returns the reason', async () => {
  const store = site();
  await store.recordConversion(null, { ...orderOf('A-1'), status: 'pending', affiliate_param: 'alice' });
  // Only imported rows have this status.
  await t.app.db('referrals').update({ status: 'processing', source_key: 'other:1' });
  await t.service.ledger.reconcile();
  expect(await store.updateConversion('A-1', { refunded_total: '10.00' })).toMatchObject({
    changed: false,
    reason: 'locked',
  });
});

it('products that are worth more than the order earn from no more than the order', async () => {
  const { body } = await signed(t, child, 'post', '/connected-sites/referrals', {
    ...orderOf('A-1'),
    affiliate_param: 'alice',
    products: [
      { item_id: 1, subtotal: '400.00' },
      { item_id: 2, subtotal: '500.00' },
    ],
  }).expect(200);
  expect(body.referral.amount).toBe(5);
});

it('a link to the primary is made while the primary is away', async () => {
  const store = site();
  isAway = true;
  const link = await store.linkToPrimary({ headers: { cookie: `f_aff=${alice.id}%7C` }, url: '/' } as never);
  expect(link).toBe(`https://shop.test/?ref=${alice.id}`);
});

it('a text instead of the list of proxies is refused at the start', async () => {
  await expect(startApp({ tracking: { trustProxy: '127.0.0.1' as never } })).rejects.toThrow(
    'tracking.trustProxy',
  );
});
