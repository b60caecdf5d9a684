import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Server } from 'node:http';
import request from 'supertest';
import {
  connectSite,
  FileQueue,
  MemoryQueue,
  PrimaryError,
  type ConnectedSite,
  type ConnectOptions,
} from '../../connected-site/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { connectChild } from '../support/sites.js';
import { ROOT } from '../support/sources.js';
import { NAVIGATION } from '../support/tracker.js';
import { referralsOf, visitsOf } from '../support/lists.js';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
/** An answer instead of the primary's; null lets the request through. */
type Interference = (sent: Sent, count: number) => Response | Promise<Response> | null;

let t: TestApp;
let alice: { id: number };
let config: string;
let sent: Sent[];
let waited: number[];
const servers: Server[] = [];

beforeEach(async () => {
  t = await startApp({ rate: 10 });
  alice = await t.records.affiliate();
  const { site_id, server_token } = await connectChild(t, 'https://store.test');
  const { port } = t.server.address() as AddressInfo;
  const api_url = `http://127.0.0.1:${port}${t.service.basePath}`;
  config = JSON.stringify({
    site_id,
    server_token,
    primary_url: 'https://shop.test',
    api_url,
    param_key: 'ref',
    cookie_duration: 30,
    credit_last_referrer: 'yes',
  });
  sent = [];
  waited = [];
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function site(interfere: Interference = () => null, options: ConnectOptions = {}): ConnectedSite {
  const watched: typeof fetch = async (input, init) => {
    const one = {
      method: init?.method ?? '',
      path: (input as URL).pathname,
      headers: init?.headers as Record<string, string>,
      body: String(init?.body ?? ''),
    };
    sent.push(one);
    return (await interfere(one, sent.length)) ?? fetch(input, init);
  };
  return connectSite(config, {
    fetch: watched,
    now: () => t.clock.now(),
    wait: async (ms) => {
      waited.push(ms);
    },
    pageDeadlineMs: 20_000,
    queue: new MemoryQueue(),
    ...options,
  });
}

const answer = (status: number, body: object = {}, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ data: { status }, ...body }), { status, headers });
const broken = (): never => {
  throw new TypeError('fetch failed');
};
/** The primary does its work, but its answer is lost. */
const lost = async (one: Sent): Promise<never> => {
  await fetch(`http://127.0.0.1:${(t.server.address() as AddressInfo).port}${one.path}`, {
    method: one.method,
    headers: one.headers,
    ...(one.body ? { body: one.body } : {}),
  });
  return broken();
};
const count = async (of: 'visits' | 'referrals'): Promise<number> =>
  (await t.admin.get(`/${of}`).expect(200)).body[of].total;
const order = { reference: 'A-1', order: { subtotal: '50.00' } };

describe('requests', () => {
  it('are repeated with a new signature when the answer was lost, and count once', async () => {
    const store = site((one, n) => (n % 2 === 1 ? lost(one) : null));
    const visit = await store.reportVisit({ affiliate_param: String(alice.id), url: 'https://store.test/' });
    expect([visit.created, await count('visits')]).toEqual([true, 1]);
    const first = await store.recordConversion(null, { ...order, affiliate_param: String(alice.id) });
    expect([first.created, first.referral?.amount, await count('referrals')]).toEqual([false, 5, 1]);
    expect(new Set(sent.map(({ headers }) => headers['X-FA-Nonce'])).size).toBe(4);
    expect(sent[0]?.body).toBe(sent[1]?.body);
  });

  it.each([
    ['500', () => answer(500), 3],
    ['503', () => answer(503, {}, { 'Retry-After': '2' }), 3],
    ['a short 429', () => answer(429, {}, { 'Retry-After': '1' }), 3],
    ['a long 429', () => answer(429, { code: 'too_many_attempts' }, { 'Retry-After': '300' }), 1],
    ['no connection', () => broken(), 3],
    ['422', () => answer(422, { code: 'validation_failed' }), 1],
    ['401', () => answer(401, { code: 'site_auth_failed' }), 1],
    ['403', () => answer(403, { code: 'site_inactive' }), 1],
    ['no JSON', () => new Response('<p>', { status: 500 }), 3],
  ] as const)('after %s are sent as often as it makes sense', async (_name, interfere, attempts) => {
    await expect(site(interfere).handshake()).rejects.toBeInstanceOf(PrimaryError);
    expect(sent).toHaveLength(attempts);
    expect(waited).toHaveLength(attempts - 1);
  });

  it('wait as long as the primary asks', async () => {
    await site((_one, n) => (n === 1 ? answer(503, {}, { 'Retry-After': '2' }) : null)).handshake();
    expect(waited).toEqual([2000]);
  });

  it("go by the primary's clock when ours is wrong", async () => {
    const store = site(undefined, { now: () => t.clock.now() - 3_600_000 });
    await store.handshake();
    await store.handshake();
    expect(sent).toHaveLength(3);
  });

  it('follow no redirect', async () => {
    let asked = 0;
    const elsewhere = express()
      .use((_req, res) => {
        asked += 1;
        res.redirect('http://127.0.0.1:9/');
      })
      .listen(0);
    servers.push(elsewhere);
    const moved = {
      ...JSON.parse(config),
      api_url: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v2`,
    };
    await expect(
      connectSite(moved, { attempts: 1, allowPrivateNetworks: true }).handshake(),
    ).rejects.toMatchObject({ code: 'unreachable' });
    expect(asked).toBe(1);
  });

  it('reach a private address only when they may', async () => {
    const own = { attempts: 1, now: () => t.clock.now(), queue: new MemoryQueue() };
    await expect(connectSite(config, own).handshake()).rejects.toMatchObject({
      code: 'unreachable',
      cause: { name: 'PrivateAddressError' },
    });
    expect(await connectSite(config, { ...own, allowPrivateNetworks: true }).handshake()).toMatchObject({
      site: { status: 'active' },
    });
    expect(
      await connectSite(config, { ...own, allowPrivateNetworks: true }).reportVisit({
        affiliate_param: String(alice.id),
        url: 'https://store.test/',
      }),
    ).toMatchObject({ created: true });
  });

  it('do not show the token in errors', async () => {
    const error: unknown = await site(() => answer(401, { code: 'site_auth_failed', message: 'no' }))
      .handshake()
      .catch((thrown: unknown) => thrown);
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(JSON.parse(config).server_token);
  });
});

describe('lookups and reports', () => {
  it('find affiliates', async () => {
    const store = site();
    expect(await store.affiliate('alice')).toEqual({ id: alice.id, param: 'alice', status: 'active' });
    for (const name of ['nobody', '..', 'a/b?c#d']) expect(await store.affiliate(name)).toBeNull();
  });

  it('follow an order up', async () => {
    const store = site();
    const reference = 'Nr. 5/\u00e9';
    await store.recordConversion(null, { ...order, reference, affiliate_param: String(alice.id) });
    expect(await store.updateConversion(reference, { status: 'unpaid' })).toMatchObject({
      referral: { reference, status: 'unpaid', amount: 5 },
    });
    expect(await store.updateConversion(reference, { refunded_total: 25 })).toMatchObject({
      referral: { amount: 2.5 },
    });
    expect(await store.updateConversion('other', { status: 'unpaid' })).toEqual({ referral: null });
  });
});

describe('pages', () => {
  const errors: unknown[] = [];
  const errored = (error: unknown): void => {
    errors.push(error);
  };
  const pages = (store: ConnectedSite): Server => {
    const app = express();
    app.use(store.tracker);
    app.get('/link', async (req, res) => {
      res.json({ link: await store.linkToPrimary(req, req.query['to'] as string | undefined) });
    });
    app.post('/buy', async (req, res) => {
      res.json(await store.recordConversion(req, order));
    });
    app.use((_req, res) => {
      res.send('page');
    });
    const server = app.listen(0);
    servers.push(server);
    return server;
  };
  const open = (server: Server, path: string, headers: Record<string, string> = {}) =>
    request(server)
      .get(path)
      .set({ ...NAVIGATION, ...headers });
  const cookieOf = (response: { headers: Record<string, unknown> }): string =>
    String(response.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  beforeEach(() => {
    errors.length = 0;
  });

  it('report a visit, set the cookie and credit the order', async () => {
    const server = pages(site());
    const landing = await open(server, '/shop?ref=alice&utm_campaign=May', {
      Referer: 'https://blog.test/',
    }).expect(200, 'page');
    const [visit] = await visitsOf(t);
    expect(visit).toMatchObject({
      url: 'https://store.test/shop',
      referrer: 'https://blog.test/',
      utm_campaign: 'May',
      ip: '127.0.0.0',
    });
    expect(landing.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(
          `^f_aff_\\d{6}=${alice.id}%7C${visit.id}%7C\\d+%7C\\w+%7C[\\w-]+; Max-Age=2592000; Path=/; Secure; SameSite=Lax$`,
        ),
      ),
    ]);
    expect(landing.headers['cache-control']).toBe('no-store, private');
    const { body } = await request(server).post('/buy').set('Cookie', cookieOf(landing));
    expect(body).toMatchObject({ created: true, referral: { affiliate_id: alice.id, amount: 5 } });
    expect(await t.app.referrals.get(body.referral.id)).toMatchObject({
      visit_id: Number(visit.id),
      utm_campaign: 'May',
    });
  });

  it.each([
    ['a bot', '/?ref=1', { 'User-Agent': 'Googlebot/2.1' }],
    ['an image', '/?ref=1', { 'Sec-Fetch-Dest': 'image' }],
    ['privacy control', '/?ref=1', { 'Sec-GPC': '1' }],
    ['no parameter', '/?other=1', {}],
    ['an empty one', '/?ref=', {}],
    ["the cookie's own separator", '/?ref=a%7Cb', {}],
  ] as const)('do not report %s', async (_name, path, headers) => {
    const response = await open(pages(site()), path, headers).expect(200);
    expect([response.headers['set-cookie'], sent.filter(({ method }) => method === 'POST')]).toEqual([
      undefined,
      [],
    ]);
  });

  it('refuse a prefetch, so that the click is reported', async () => {
    const response = await open(pages(site()), '/?ref=1', { 'Sec-Purpose': 'prefetch' }).expect(503);
    expect(response.headers['vary']).toContain('Sec-Purpose');
    expect([response.headers['set-cookie'], sent]).toEqual([undefined, []]);
  });

  it('renew the cookie at a return through the same affiliate, however the link is spelled', async () => {
    const server = pages(site());
    const first = cookieOf(await open(server, '/?ref=alice'));
    expect((await open(server, '/?ref=alice', { Cookie: first })).headers['set-cookie']).toBeUndefined();
    t.clock.advance(20 * 86_400_000);
    for (const value of ['alice', String(alice.id)]) {
      const again = cookieOf(await open(server, `/?REF=${value}`, { Cookie: `f_aff=; ${first}` }));
      expect(again.split('%7C').slice(0, 2)).toEqual(first.split('%7C').slice(0, 2));
      expect(again.split('%7C')[2]).toBe(String(t.clock.time / 1000));
    }
    expect(await count('visits')).toBe(1);
  });

  it('credit the affiliate of a click that exceeds the limit of its address', async () => {
    t.service.hooks.addFilter('visit_flood_limit', () => 1);
    t.service.hooks.addFilter('visit_dedup_window', () => 0);
    const server = pages(site());
    await open(server, '/?ref=alice');
    const cookie = cookieOf(await open(server, '/?ref=alice'));
    expect(decodeURIComponent(cookie)).toMatch(new RegExp(`=${alice.id}\\|\\|`));
    expect(await count('visits')).toBe(1);
    const { body } = await request(server).post('/buy').set('Cookie', cookie);
    expect(body).toMatchObject({ created: true, referral: { affiliate_id: alice.id, amount: 5 } });
  });

  it('send nothing without consent', async () => {
    await open(pages(site(undefined, { consent: () => false })), '/?ref=alice').expect(200);
    expect(sent).toEqual([]);
  });

  it('send the already credited affiliate to the primary, and keep its cookie where the first click wins', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    const { site_id } = JSON.parse(config);
    await t.admin
      .patch('/settings/connected-sites-config/update')
      .send({ site_id, credit_last_referrer: 'no' })
      .expect(200);
    const response = await open(pages(site()), '/?ref=alice', { Cookie: `f_aff=${bob.id}%7C` });
    expect([response.headers['set-cookie'], await count('visits')]).toEqual([undefined, 0]);
  });

  it.each([
    ['away', () => broken(), 1],
    ['busy', () => answer(503), 1],
    ['slow', () => new Promise<Response>(() => {}), 0],
  ] as const)(
    'are served while the primary is %s, and the visitor keeps his affiliate',
    async (_name, interfere, errorCount) => {
      const server = pages(site(interfere, { onError: errored, pageDeadlineMs: 30 }));
      const landing = await open(server, '/?ref=alice').expect(200, 'page');
      expect([cookieOf(landing), errors.length]).toEqual([
        expect.stringMatching(/^f_aff_\d{6}=alice%7C$/),
        errorCount,
      ]);
      const { body } = await request(pages(site())).post('/buy').set('Cookie', cookieOf(landing));
      expect(body.referral.amount).toBe(5);
    },
  );

  it.each([
    ['nobody is known by this name', 'nobody', undefined],
    ['the site is switched off', 'alice', 'no'],
  ])('set no cookie when %s', async (_name, param, status) => {
    if (status) await t.admin.patch('/settings/connected-sites-config').send({ status }).expect(200);
    const response = await open(pages(site(undefined, { onError: errored })), `/?ref=${param}`).expect(
      200,
      'page',
    );
    expect([response.headers['set-cookie'], errors.length]).toEqual([undefined, 1]);
  });

  it('lead to the primary with affiliate, visit and campaign', async () => {
    const server = pages(site());
    const { body } = await open(server, '/link?ref=alice&utm_source=mail');
    const [visit] = await visitsOf(t);
    expect(body.link).toBe(`https://shop.test/?ref=${alice.id}&visit_id=${visit.id}&utm_source=mail`);
    const later = async (to: string): Promise<string> =>
      (await open(server, `/link?to=${encodeURIComponent(to)}`, { Cookie: `f_aff=alice%7C${visit.id}` })).body
        .link;
    expect(await later('/offer?x=1')).toBe(`https://shop.test/offer?x=1&ref=alice&visit_id=${visit.id}`);
    expect(await later('https://elsewhere.test/')).toBe('https://elsewhere.test/');
  });

  it('cost no request when no affiliate brought the buyer', async () => {
    const { body } = await request(pages(site())).post('/buy');
    expect([body, sent]).toEqual([{ referral: null, created: false, ignored: 'no_affiliate' }, []]);
  });

  it.each([
    ['a visit that is gone', 'alice%7C999999', 5],
    ['no visit', 'alice%7C', 5],
    ['an unknown affiliate', 'nobody%7C1', null],
    ['a broken cookie', '%7C7', null],
  ])('credit a cookie with %s', async (_name, cookie, amount) => {
    const { body } = await request(pages(site())).post('/buy').set('Cookie', `f_aff=${cookie}`);
    expect(body.referral?.amount ?? null).toBe(amount);
  });
});

describe('a site that was disconnected', () => {
  const paid = async (): Promise<unknown[]> =>
    (await referralsOf(t)).map((row) => [row.provider_sub_id, row.status, row.amount]);
  const reconnect = async (): Promise<string> => {
    const { site_id, server_token } = await connectChild(t, 'https://store.test');
    return JSON.stringify({ ...JSON.parse(config), site_id, server_token });
  };

  it('is refused, queues its reports in order, reports the error, and delivers them when it is connected again', async () => {
    const errors: unknown[] = [];
    const store = site(undefined, {
      onError: (error) => {
        errors.push(error);
      },
    });
    const buyer = express()
      .use(store.tracker)
      .post('/buy/:n', async (req, res) => {
        res.json(
          await store.recordConversion(req, { ...order, reference: `A-${req.params.n}`, status: 'unpaid' }),
        );
      })
      .listen(0);
    servers.push(buyer);
    const visit = (): request.Test => request(buyer).get('/?ref=alice').set(NAVIGATION);
    const cookie = String((await visit()).headers['set-cookie']).split(';')[0]!;
    const buy = async (n: number, held = cookie): Promise<object> =>
      (await request(buyer).post(`/buy/${n}`).set('Cookie', held)).body;
    expect(await buy(1)).toMatchObject({ created: true, referral: { amount: 5, affiliate_id: alice.id } });

    await t.admin
      .post('/settings/connected-sites-config/disconnect')
      .send({ site_id: JSON.parse(config).site_id })
      .expect(200);
    expect(await buy(2)).toEqual({ referral: null, created: false, queued: true });
    expect(errors).toMatchObject([{ status: 401, code: 'site_auth_failed' }]);
    expect(await store.updateConversion('A-2', { refunded_total: '25.00' })).toEqual({
      referral: null,
      queued: true,
    });
    const late = String((await visit()).headers['set-cookie']).split(';')[0]!;
    expect(late).toMatch(/^f_aff_\d{6}=alice%7C$/);
    await buy(3, late);
    expect([await store.waiting(), await paid()]).toEqual([4, [['A-1', 'unpaid', 5]]]);
    // a primary that just refused is left alone
    expect(sent.filter(({ path }) => path.endsWith('/referrals'))).toHaveLength(2);

    await store.reconnect(await reconnect());
    expect([await store.waiting(), await paid()]).toEqual([
      0,
      [
        ['A-1', 'unpaid', 5],
        ['A-2', 'unpaid', 2.5],
        ['A-3', 'unpaid', 5],
      ],
    ]);
    // the second click of one address within half an hour is the first one
    expect(await count('visits')).toBe(1);
  });

  it('sends the time at which a waiting report happened', async () => {
    const stopped = (one: Sent): Response | null =>
      down && one.method === 'POST' ? answer(503, {}, { 'Retry-After': '60' }) : null;
    let down = true;
    const store = site(stopped, { attempts: 1 });
    await store.handshake();
    const page = express().use(store.tracker).listen(0);
    servers.push(page);
    await request(page).get('/?ref=alice').set(NAVIGATION);
    t.clock.advance(10_000);
    expect(await store.recordConversion(null, { ...order, affiliate_param: 'alice' })).toMatchObject({
      queued: true,
    });
    down = false;
    t.clock.advance(3_600_000);
    expect(await store.deliver()).toEqual({ delivered: 2, waiting: 0 });
    expect((await t.admin.get('/visits').expect(200)).body.visits.data).toMatchObject([
      { created_at: '2026-01-15T15:00:00+00:00' },
    ]);
    expect((await t.admin.get('/referrals').expect(200)).body.referrals.data).toMatchObject([
      { created_at: '2026-01-15T16:00:10+00:00', settings: { ordered_at: '2026-01-15T15:00:10+00:00' } },
    ]);
    await store.recordConversion(null, { ...order, reference: 'A-2', affiliate_param: 'alice' });
    expect(JSON.parse(sent.at(-1)!.body)).not.toHaveProperty('occurred_at');
  });

  it('keeps its reports in a store of its own over a restart', async () => {
    const queue = new MemoryQueue();
    await t.admin.patch('/settings/connected-sites-config').send({ status: 'no' }).expect(200);
    await site(undefined, { queue }).recordConversion(null, { ...order, affiliate_param: 'alice' });
    await t.admin.patch('/settings/connected-sites-config').send({ status: 'yes' }).expect(200);
    expect(await site(undefined, { queue }).deliver()).toEqual({ delivered: 1, waiting: 0 });
    expect(await paid()).toEqual([['A-1', 'pending', 5]]);
  });

  it('keeps its reports on disk by default: a process that is killed loses none, and none of their order', async () => {
    const folder = temporaryFolder();
    const away = JSON.stringify({ ...JSON.parse(config), api_url: 'http://127.0.0.1:9/' });
    const loader = join(ROOT, 'test/support/ts-loader.mjs');
    const program = join(folder, 'site.mjs');
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(program, `import '${pathToFileURL(join(ROOT, 'test/support/queueing-site.mjs')).href}';`);
    const child = spawnSync(process.execPath, ['--no-warnings', '--import', loader, program, away], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([child.signal, child.stderr]).toEqual(['SIGKILL', '']);
    const name = readdirSync(folder).find((each) => each.startsWith('affiliate-')) ?? '';
    expect(name).toBe(`affiliate-site-${JSON.parse(config).site_id}`);
    const files = readdirSync(join(folder, name));
    expect(files).toHaveLength(3);
    expect(statSync(join(folder, name, files[0]!)).mode & 0o777).toBe(0o600);

    writeFileSync(join(folder, name, `${files[0]}.new`), '{"half'); // what a crash leaves behind
    const next = site(undefined, { queue: new FileQueue(join(folder, name)) });
    expect(await next.waiting()).toBe(3);
    expect(await next.deliver()).toEqual({ delivered: 3, waiting: 0 });
    expect(await paid()).toEqual([
      ['A-1', 'unpaid', 2.5],
      ['A-2', 'pending', 5],
    ]);
    expect(await new FileQueue(join(folder, 'nothing')).list(10)).toEqual([]);
  });

  it('drops reports that the primary refuses permanently, and logs the reason', async () => {
    const errors: { code?: string }[] = [];
    const store = site((_one, n) => (n <= 1 ? answer(503, {}, { 'Retry-After': '60' }) : null), {
      onError: (error) => {
        errors.push(error as { code?: string });
      },
    });
    expect(
      await store.recordConversion(null, { ...order, affiliate_param: 'alice', visit_id: 999_999 }),
    ).toMatchObject({ queued: true });
    await store.recordConversion(null, { ...order, affiliate_param: 'alice' });
    expect(await store.deliver()).toEqual({ delivered: 1, waiting: 0 });
    expect(errors.map(({ code }) => code)).toEqual(['unexpected_answer', 'visit_mismatch']);
  });

  it('lets a single report on which the primary fails hold up only its own order', async () => {
    const errors: unknown[] = [];
    let down = true;
    let fails = (one: Sent): boolean => `${one.path} ${one.body}`.includes('A-1');
    const interfere = (one: Sent): Response | null => {
      if (one.method === 'GET') return null;
      if (down) return answer(503);
      return fails(one) ? answer(500, { code: 'internal_error' }) : null;
    };
    const store = site(interfere, {
      attempts: 1,
      onError: (error) => {
        errors.push(error);
      },
    });
    const credited = { ...order, affiliate_param: 'alice', status: 'unpaid' } as const;
    await store.recordConversion(null, credited);
    await store.updateConversion('A-1', { refunded_total: '25.00' });
    await store.recordConversion(null, { ...credited, reference: 'A-2' });
    down = false;
    expect(await store.deliver()).toEqual({ delivered: 1, waiting: 2 });
    expect(errors).toMatchObject([{ status: 503 }, { status: 500 }]);

    // the others are answered at once, without another attempt at the one that waits
    const before = sent.length;
    expect(await store.recordConversion(null, { ...credited, reference: 'A-3' })).toMatchObject({
      created: true,
    });
    expect(sent).toHaveLength(before + 1);
    expect(await store.updateConversion('A-1', { refunded_total: '50.00' })).toMatchObject({ queued: true });
    expect(sent).toHaveLength(before + 1);
    expect(await paid()).toEqual([
      ['A-2', 'unpaid', 5],
      ['A-3', 'unpaid', 5],
    ]);

    // a primary that fails on everything is left alone
    fails = () => true;
    expect(await store.recordConversion(null, { ...credited, reference: 'A-4' })).toMatchObject({
      queued: true,
    });
    expect(await store.deliver()).toEqual({ delivered: 0, waiting: 4 });
    expect(sent).toHaveLength(before + 4);

    fails = () => false;
    expect(await store.deliver()).toEqual({ delivered: 4, waiting: 0 });
    expect((await paid()).slice(2)).toEqual([
      ['A-1', 'rejected', 0],
      ['A-4', 'unpaid', 5],
    ]);
  });

  it('has room for ten thousand reports and throws for more', async () => {
    const queue = new MemoryQueue();
    for (let n = 0; n < 10_000; n++) await queue.add({ id: String(n), kind: 'conversion', fields: {} });
    await expect(
      site(undefined, { queue: Object.assign(queue, { list: async () => [] }) }).recordConversion(null, {
        ...order,
        affiliate_param: 'alice',
      }),
    ).rejects.toThrow(/too many/i);
  });
});

it('reports leads like orders', async () => {
  await t.app.settings.saveReferralConfig({ lead_amount: 5.5 });
  const lead = { reference: 'U-2', kind: 'signup', customer: { email: 'kim@mail.test' } };
  expect(await site().recordLead(null, lead)).toMatchObject({ referral: null, ignored: 'no_affiliate' });
  const given = { ...lead, affiliate_param: String(alice.id), defer: true };
  expect(await site().recordLead(null, given)).toMatchObject({
    created: true,
    referral: { reference: 'lead:signup:U-2', status: 'pending', amount: 5.5 },
  });
  expect(await site().updateConversion('lead:signup:U-2', { status: 'unpaid' })).toMatchObject({
    changed: true,
    referral: { status: 'unpaid' },
  });
  const nameless = { ...given, customer: {} };
  await expect(site().recordLead(null, nameless)).rejects.toMatchObject({ status: 422 });
});
