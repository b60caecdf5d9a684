import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase } from '../support/databases.js';
import { startShop } from '../support/shop.js';
import { connectChild, signed, TRUSTED } from '../support/sites.js';
import { BROWSER, cookieOf, NAVIGATION, setCookie, trackedSite } from '../support/tracker.js';

// The second round of attacks, each an attempt that must fail; docs/attacks.md is the list with outcomes.

const SECRET = 'one secret that a hoster gives to all of its shops';
const affiliate = async (t: TestApp, userId = 2): Promise<number> =>
  ((await t.records.affiliate({ user_id: userId })) as { id: number }).id;
const referrals = async (t: TestApp): Promise<number> =>
  Number((await t.admin.get('/referrals').expect(200)).body.referrals.total);

describe('clicks', () => {
  it('a repeated, listed or hidden parameter credits nobody else, and no cache keeps the page', async () => {
    const t = await startApp();
    const alice = await affiliate(t);
    for (const query of [`?ref=${alice}&ref=999`, `?x=1&ref=${alice}#ref=2`, `?ref=%20${alice}%20`]) {
      const answer = await trackedSite(t.app).open(`/${query}`);
      expect(cookieOf(answer)).toContain(`f_aff=${alice}%7C`);
      expect(answer.headers['cache-control']).toBe('no-store, private');
    }
    for (const query of [
      `?ref[]=${alice}`,
      `?ref=${alice}%7C5%7C1%7Cx`,
      `?ref=${alice}%00'--`,
      `?__proto__[ref]=${alice}`,
    ])
      expect(setCookie(await trackedSite(t.app).open(`/${query}`))).toBeNull();
  });

  it('a condition on the entity tag takes neither cookie nor protection away', async () => {
    const t = await startApp();
    const alice = await affiliate(t);
    const first = await trackedSite(t.app).open(`/?ref=${alice}`);
    const again = await trackedSite(t.app).open(`/?ref=${alice}`, {
      'If-None-Match': String(first.headers['etag']),
      'X-Forwarded-Host': 'evil.test',
    });
    expect([again.status, again.headers['cache-control'], setCookie(again) !== null]).toEqual([
      304,
      'no-store, private',
      true,
    ]);
  });

  it('changing addresses inside a /64 or writing them as IPv4-mapped is one visitor to the limits', async () => {
    const t = await startApp(TRUSTED);
    const alice = await affiliate(t);
    t.service.hooks.addFilter('visit_flood_limit', () => 2);
    const open = (address: string, n: number) =>
      trackedSite(t.app).open(`/?ref=${alice}`, {
        ...NAVIGATION,
        'User-Agent': `${BROWSER} ${n}`,
        'X-Forwarded-For': address,
      });
    for (let n = 0; n < 10; n++) await open(`2001:db8:1:2::${n + 1}`, n);
    for (let n = 0; n < 10; n++) await open(n % 2 === 0 ? '::ffff:203.0.113.7' : '203.0.113.7', 100 + n);
    await t.app.tracking.flush();
    expect((await t.admin.get('/visits').expect(200)).body.visits.total).toBe(4);
  });

  it('forwarded addresses in front of the real one change nothing', async () => {
    const t = await startApp(TRUSTED);
    const alice = await affiliate(t);
    await trackedSite(t.app).open(`/?ref=${alice}`, {
      ...NAVIGATION,
      'X-Forwarded-For': '127.0.0.1, 10.0.0.1, 198.51.100.1, 203.0.113.7',
    });
    expect((await t.admin.get('/visits').expect(200)).body.visits.data[0].ip).toBe('203.0.113.0');
  });

  it('the cookie a throttled call may get is still only for pages of the site', async () => {
    const t = await startApp(TRUSTED);
    const alice = await affiliate(t);
    const call = (headers: Record<string, string>) =>
      trackedSite(t.app).track(
        { __aff_id__: String(alice), url: 'https://shop.test/' },
        { 'X-Forwarded-For': '203.0.113.7', ...headers },
      );
    for (let n = 0; n < 301; n++) await call({ 'User-Agent': `${BROWSER} ${n}` });
    const others: readonly Record<string, string>[] = [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { 'User-Agent': 'curl/8' },
      { 'Sec-GPC': '1' },
      { 'Sec-Purpose': 'prefetch' },
    ];
    for (const headers of others) expect(setCookie(await call(headers))).toBeNull();
  });
});

describe('tenants', () => {
  it('a site key, a preview token and a sign-up of one service open nothing in its neighbor', async () => {
    const one = await startApp({ secret: SECRET });
    const two = await startApp({
      secret: SECRET,
      database: await testDatabase({ purpose: 'attacks', shared: true }),
    });
    const child = await connectChild(one);
    await connectChild(two);
    expect((await signed(two, child, 'get', '/connected-sites/handshake')).status).toBe(401);
    const stored: { secret?: string; token_key?: string }[] = await one.app.db('connected_sites').select();
    for (const value of Object.values(stored[0] ?? {}))
      if (typeof value === 'string' && value.startsWith('s1:'))
        expect(two.app.secrets.open('connected-site', value.slice(3))).toBeNull();
    expect(two.app.secrets.verify('payout-preview', 'x', one.app.secrets.sign('payout-preview', 'x'))).toBe(
      false,
    );
  });

  it('moving the row of the service id into another database does not make its neighbor accept old signatures', async () => {
    const one = await startApp({ secret: SECRET });
    const two = await startApp({
      secret: `${SECRET} of another`,
      database: await testDatabase({ purpose: 'attacks', shared: true }),
    });
    const id = (await one.app.db('service_identity').first('service_id')) as { service_id: string };
    await two.app.db('service_identity').update(id);
    const again = await startApp({ secret: `${SECRET} of another`, keep: true, database: two.app.db.knex });
    expect(again.app.secrets.verify('x', 'y', one.app.secrets.sign('x', 'y'))).toBe(false);
  });
});

describe('orders', () => {
  it('a spelling of the reference pays no order twice', async () => {
    const t = await startShop();
    for (const reference of ['A-1', ' A-1', 'A-1\n', '\tA-1 '])
      await t.service.conversions.record(null, t.order({ reference }));
    for (const reference of ['A-1\u0000', '\u0007A-1', 'A-\uDC001'])
      await expect(t.service.conversions.record(null, t.order({ reference }))).rejects.toMatchObject({
        code: 'validation_failed',
      });
    expect(await referrals(t)).toBe(1);
  });

  it('a signed order sent from many browsers at once is one', async () => {
    const t = await startApp({ rate: 10 });
    const alice = await affiliate(t);
    const cookie = cookieOf(await trackedSite(t.app).open(`/?ref=${alice}`));
    const token = t.service.tracking.signConversion({
      provider_id: 'A-1',
      amount: '100.00',
      currency: 'USD',
    });
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        request(t.server)
          .post(`${t.service.basePath}/track/conversion`)
          .set({ Cookie: cookie, 'User-Agent': BROWSER, Origin: 'https://shop.test' })
          .type('form')
          .send({ token }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await referrals(t)).toBe(1);
  });
});

describe('adapters', () => {
  it('an answer that changes between two looks, a proxy or a promise inside a promise opens nothing', async () => {
    const t = await startApp();
    for (const answer of [
      { valueOf: () => true },
      new Proxy({}, { get: () => true }),
      () => true,
      Symbol.iterator,
      1n,
      Number.NaN,
    ]) {
      Object.assign(t.host, { can: async () => answer });
      await t.as(2).get('/payouts').expect(500);
    }
  });

  it('a user whose id is an object, a list or too large is nobody', async () => {
    const t = await startApp();
    for (const id of [{ toString: () => '1' }, [1], '1', 2 ** 53, -1, Number.NaN]) {
      Object.assign(t.host, { currentUser: async () => ({ id, login: 'admin' }) });
      await t.admin.get('/affiliates').expect(500);
    }
  });
});
