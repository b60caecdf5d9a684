import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { DAY } from '../../src/core/duration.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { configure } from '../support/shop.js';
import { cookieOf, cookieParts, NAVIGATION, setCookie, trackedSite } from '../support/tracker.js';

let t: TestApp;
let alice: { id: number };

async function start(options: TestOptions = {}): Promise<void> {
  t = await startApp(options);
  alice = await t.records.affiliate({ user_id: 2 });
  await t.admin
    .post('/settings/links')
    .send({ slug: 's1', affiliate_id: alice.id, url: 'https://shop.test/sale?x=1' })
    .expect(200);
}
beforeEach(() => start());

const open = (path: string, cookie = '', headers = {}) =>
  path.startsWith('/go/')
    ? request(t.server)
        .get(path)
        .set({ ...NAVIGATION, ...(cookie && { Cookie: cookie }), ...headers })
    : trackedSite(t.app).open(path, { ...(cookie && { Cookie: cookie }), ...headers });
const script = (value: string, cookie: string, url = 'https://shop.test/a', referrer = '') =>
  trackedSite(t.app).track({ __aff_id__: value, url, referrer }, { Cookie: cookie });

let orders = 0;
const order = (cookie: string) =>
  t.service.conversions.record({ headers: { cookie } } as IncomingMessage, {
    provider: 'shop',
    reference: `R-${(orders += 1)}`,
    order: { subtotal: '100.00' },
    customer: { email: `jo${orders}@mail.test` },
  });

describe('a return through the same affiliate renews the cookie and keeps the visit', () => {
  const WAYS: Readonly<
    Record<string, (cookie: string) => PromiseLike<{ headers: Record<string, unknown> }>>
  > = {
    'the same link': (cookie) => open('/?ref=alice', cookie),
    'its id': (cookie) => open(`/?ref=${alice.id}`, cookie),
    'the path form': (cookie) => open('/ref/alice', cookie),
    'a short link': (cookie) => open('/go/s1', cookie),
    'the script of cached pages': (cookie) => script('alice', cookie),
    'the script, by id': (cookie) => script(String(alice.id), cookie),
  };

  it.each(Object.keys(WAYS))('by %s', async (way) => {
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(20 * DAY);
    const again = cookieOf(await WAYS[way]!(first));
    expect(cookieParts(again).slice(0, 2)).toEqual(cookieParts(first).slice(0, 2));
    t.clock.advance(20 * DAY);
    expect((await order(again)).referral).toMatchObject({
      affiliate_id: alice.id,
      visit_id: Number(cookieParts(first)[1]),
    });
    await t.service.tracking.flush();
    expect((await t.admin.get('/visits')).body.visits.total).toBe(1);
  });

  it.each(Object.keys(WAYS))('not where the first click wins: by %s', async (way) => {
    await configure(t, { credit_last_referrer: 'no' });
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(20 * DAY);
    expect(setCookie(await WAYS[way]!(first))).toBeNull();
  });

  it('but no robot, no own click, and not within the hour', async () => {
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(60_000);
    for (const way of Object.values(WAYS)) expect(setCookie(await way(first))).toBeNull();
    t.clock.advance(20 * DAY);
    expect(setCookie(await open('/?ref=1', first, { 'User-Agent': 'Googlebot/2.1' }))).toBeNull();
    const { Cookie = '', ...own } = t.headers(2);
    expect(setCookie(await open('/?ref=1', `${Cookie}; ${first}`, own))).toBeNull();
  });
});

describe('the click that renews the cookie is checked', () => {
  it.each<[string, Parameters<typeof startApp>[0], string, Record<string, string>]>([
    ['paid_traffic', { fraud: { paidTraffic: 'reject' } }, '/?ref=1&gclid=x', {}],
    ['paid_traffic', { fraud: { paidTraffic: 'reject' } }, '/go/s1?gclid=x', {}],
    ['coupon_site', { fraud: { couponSite: 'reject' } }, '/?ref=1', { Referer: 'https://www.honey.com/x' }],
    [
      'banned_referrer',
      { fraud: { bannedReferrer: 'reject', bannedReferrers: ['spam.test'] } },
      '/?ref=1',
      { Referer: 'https://spam.test/' },
    ],
  ])('%s on day 25', async (reason, options, path, headers) => {
    await start(options);
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(25 * DAY);
    const renewed = cookieOf(await open(path, first, headers));
    t.clock.advance(15 * DAY);
    expect(await order(renewed)).toMatchObject({ referral: null, reason });
    const clean = cookieOf(await open('/?ref=alice', renewed));
    expect((await order(clean)).referral).toMatchObject({ affiliate_id: alice.id });
  });

  it('from the script, too', async () => {
    await start({ fraud: { paidTraffic: 'reject' } });
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(25 * DAY);
    const renewed = cookieOf(await script('alice', first, 'https://shop.test/?msclkid=1'));
    expect(await order(renewed)).toMatchObject({ referral: null, reason: 'paid_traffic' });
  });

  it('within the window of a visit, and over the limit of an address', async () => {
    await start({ fraud: { paidTraffic: 'reject' } });
    await open('/?ref=alice');
    const repeated = cookieOf(await open('/?ref=alice&gclid=x'));
    expect(await order(repeated)).toMatchObject({ referral: null, reason: 'paid_traffic' });
    t.service.hooks.addFilter('visit_flood_limit', () => 1);
    t.service.hooks.addFilter('visit_dedup_window', () => 0);
    const throttled = cookieOf(await open('/?ref=alice&gclid=x'));
    expect(cookieParts(throttled)[1]).toBe('');
    expect(await order(throttled)).toMatchObject({ referral: null, reason: 'paid_traffic' });
  });

  it('for its time', async () => {
    await start({ fraud: { fastOrder: 'reject', fastOrderSeconds: 10 } });
    const first = cookieOf(await open('/?ref=alice'));
    t.clock.advance(25 * DAY);
    const renewed = cookieOf(await open('/?ref=alice', first));
    t.clock.advance(3000);
    expect(await order(renewed)).toMatchObject({ referral: null, reason: 'fast_order' });
    t.clock.advance(60_000);
    expect((await order(renewed)).referral).not.toBeNull();
  });
});

describe('a page that a browser asks for before the click', () => {
  it.each([
    ['/?ref=alice', { 'Sec-Purpose': 'prefetch' }],
    ['/?ref=alice', { 'Sec-Purpose': 'prefetch;prerender' }],
    ['/ref/alice', { 'X-Moz': 'prefetch' }],
    ['/?ref=alice', { 'X-Purpose': 'preview' }],
    ['/go/s1', { 'Sec-Purpose': 'prefetch' }],
  ])('%s is refused, and the click credits', async (path, headers) => {
    const early = await open(path, '', headers);
    expect([early.status, setCookie(early)]).toEqual([503, null]);
    expect(early.headers).toMatchObject({ 'cache-control': 'no-store, private' });
    expect(early.headers['vary']).toContain('Sec-Purpose');
    await t.service.tracking.flush();
    expect((await t.admin.get('/visits')).body.visits.total).toBe(0);
    const clicked = cookieOf(await open(path));
    expect((await order(clicked)).referral).toMatchObject({ affiliate_id: alice.id });
  });

  it('is sent when it names nobody, or nothing may be stored yet', async () => {
    const prefetch = { 'Sec-Purpose': 'prefetch' };
    expect((await open('/?ref=nobody', '', prefetch)).status).toBe(200);
    expect((await open('/ref/nobody', '', prefetch)).status).toBe(200);
    expect((await open('/page', '', prefetch)).status).toBe(200);
    await start({ tracking: { consent: 'required' } });
    expect((await open('/?ref=alice', '', prefetch)).status).toBe(200);
  });
});

describe('a short link', () => {
  it('passes its query on, and the rule about paid traffic sees it', async () => {
    await start({ fraud: { paidTraffic: 'reject' } });
    const answer = await open('/go/s1?gclid=abc&utm_source=news&x=2&ref=9&REF=8&visit_id=5');
    expect(answer.headers['location']).toBe('https://shop.test/sale?x=1&gclid=abc&utm_source=news');
    expect(await order(cookieOf(answer))).toMatchObject({ referral: null, reason: 'paid_traffic' });
  });
});

it('reads the first valid one of several cookies', async () => {
  const good = cookieOf(await open('/?ref=alice'));
  for (const junk of ['f_aff=junk', 'f_aff=1%7C2%7C3%7Cforged', 'f_aff=', `f_aff=${'x'.repeat(600)}`])
    expect((await order(`${junk}; ${good}`)).referral).toMatchObject({ affiliate_id: alice.id });
});
