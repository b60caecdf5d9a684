import { beforeEach, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { BROWSER, cookieOf, setCookie, trackedSite, type TrackedSite } from '../support/tracker.js';

let t: TestApp;
let site: TrackedSite;
let alice: { id: number };
let bob: { id: number };

beforeEach(async () => {
  t = await startApp({ tracking: { allowedHosts: ['partner.test'] } });
  site = trackedSite(t.app);
  alice = await t.records.affiliate({ user_id: 2 });
  bob = await t.records.affiliate({ user_id: 3 });
});

const PATH = '/wp-json/affiliate-service/v2/track';
const TIME = Date.UTC(2026, 0, 15, 15) / 1000;
const page = 'https://shop.test/landing';
const click = (fields: object = {}): Record<string, string> => ({
  __aff_id__: String(alice.id),
  url: page,
  ...fields,
});

describe('answers', () => {
  it('a counted click', async () => {
    const answer = await site
      .track(click({ url: `${page}?ref=3&a=1`, utm_campaign: 'summer', referrer: 'https://blog.example/' }))
      .expect(200);

    const [visit] = (await t.admin.get('/visits').expect(200)).body.visits.data;
    expect(answer.body).toEqual({ message: 'success', visit_id: visit.id, time: TIME });
    expect(visit).toMatchObject({
      affiliate_id: alice.id,
      url: `${page}?a=1`,
      utm_campaign: 'summer',
      referrer: 'https://blog.example/',
    });
    expect(setCookie(answer)).toMatch(/^f_aff=/);
  });

  it.each<[string, () => object, string]>([
    ['no affiliate value', () => ({ __aff_id__: '' }), 'invalid param'],
    ['no page', () => ({ url: '' }), 'invalid param'],
    ['an unknown affiliate', () => ({ __aff_id__: 'nobody' }), 'invalid aff'],
    ['a page of somebody else', () => ({ url: 'https://evil.test/' }), 'no'],
    ['a page that is no page', () => ({ url: 'javascript:alert(1)' }), 'no'],
    ['a page of an allowed host', () => ({ url: 'https://www.partner.test/x' }), 'success'],
  ])('%s', async (_name, fields, message) => {
    const answer = await site.track(click(fields())).expect(200);

    expect(answer.body.message).toBe(message);
    expect((await t.app.affiliates.get(alice.id)).visits).toBe(message === 'success' ? 1 : 0);
  });

  it('an affiliate who is not active', async () => {
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);

    expect((await site.track(click())).body).toEqual({ message: 'affiliate_inactive', time: TIME });
  });

  it('a visitor who has the cookie already', async () => {
    const cookie = cookieOf(await site.track(click()));

    expect((await site.track(click(), { Cookie: cookie })).body.message).toBe('already_exist');
    expect((await site.track(click({ __aff_id__: String(bob.id) }), { Cookie: cookie })).body.message).toBe(
      'success',
    );
  });

  it.each<[string, Record<string, string>]>([
    ['a crawler', { 'User-Agent': 'Googlebot/2.1' }],
    ['Global Privacy Control', { 'Sec-GPC': '1' }],
    ['another site', { Origin: 'https://evil.test' }],
    ['a hidden origin', { Origin: 'null' }],
    ['another site by its referrer', { Origin: '', Referer: 'https://evil.test/x' }],
  ])('%s is not counted', async (_name, headers) => {
    const answer = await site.track(click(), headers).expect(200);

    expect(answer.body).toEqual({ message: 'no', time: TIME });
    expect(setCookie(answer)).toBeNull();
  });
});

describe('transport', () => {
  it.each<[string, string, (fields: Record<string, string>) => string]>([
    ['a form', 'application/x-www-form-urlencoded', (fields) => new URLSearchParams(fields).toString()],
    ['JSON', 'application/json', (fields) => JSON.stringify(fields)],
    ['a beacon with JSON', 'text/plain;charset=UTF-8', (fields) => JSON.stringify(fields)],
    ['a beacon with a form', 'text/plain', (fields) => new URLSearchParams(fields).toString()],
  ])('takes %s', async (_name, type, encode) => {
    const answer = await request(site.pages)
      .post(PATH)
      .set({ 'User-Agent': BROWSER, Origin: 'https://shop.test', 'Content-Type': type })
      .send(encode(click()));

    expect(answer.body.message).toBe('success');
  });

  it('answers at the address of the origin too', async () => {
    const answer = await request(site.pages)
      .post('/wp-admin/admin-ajax.php?action=fluent_aff_count_visit&sign=1')
      .type('form')
      .set({ 'User-Agent': BROWSER, Origin: 'https://shop.test' })
      .send(click())
      .expect(200);

    expect(answer.body.message).toBe('success');
  });

  it('answers on the router', async () => {
    const answer = await t.anonymous
      .post('/track')
      .type('form')
      .set({ 'User-Agent': BROWSER, Origin: 'https://shop.test' })
      .send(click())
      .expect(200);

    expect(answer.body.message).toBe('success');
  });

  it('has nothing to read', async () => {
    await t.anonymous.get('/track').expect(404);
  });

  it.each<[string, number, string, Buffer, Record<string, string>]>([
    ['a large body', 413, 'application/x-www-form-urlencoded', Buffer.alloc(5000, 'a'), {}],
    [
      'a body that inflates',
      413,
      'application/x-www-form-urlencoded',
      gzipSync(Buffer.alloc(50_000, 'a')),
      { 'Content-Encoding': 'gzip' },
    ],
    ['another type', 415, 'application/xml', Buffer.from('<a/>'), {}],
  ])('refuses %s', async (_name, status, type, body, headers) => {
    const answer = await request(site.pages)
      .post(PATH)
      .set({ 'User-Agent': BROWSER, Origin: 'https://shop.test', 'Content-Type': type, ...headers })
      .serialize((bytes: unknown) => bytes as string)
      .send(body);

    expect(answer.status).toBe(status);
  });

  it('lets known sites call, the host alone with credentials', async () => {
    const preflight = async (origin: string): Promise<Record<string, string>> =>
      (
        await request(site.pages)
          .options(PATH)
          .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' })
          .expect(204)
      ).headers;

    expect(await preflight('https://shop.test')).toMatchObject({
      'access-control-allow-origin': 'https://shop.test',
      'access-control-allow-credentials': 'true',
    });
    expect(await preflight('https://partner.test')).toMatchObject({
      'access-control-allow-origin': 'https://partner.test',
    });
    expect((await preflight('https://partner.test'))['access-control-allow-credentials']).toBeUndefined();
    expect((await preflight('https://evil.test'))['access-control-allow-origin']).toBeUndefined();
    const answer = await site.track(click({ url: 'https://partner.test/x' }), {
      Origin: 'https://partner.test',
    });
    expect(answer.body.message).toBe('success');
    expect(setCookie(answer)).toBeNull();
  });
});

describe('a visit named by the link', () => {
  const stored = (affiliateId: number, extra: object = {}): Promise<{ id: number }> =>
    t.app.transaction((trx) =>
      t.app.visits.insert(trx, {
        affiliate_id: affiliateId,
        site_id: '100001',
        url: 'https://child.test/',
        ...extra,
      }),
    );

  it('is reused when a site reported it for the same affiliate', async () => {
    const visit = await stored(alice.id);

    expect((await site.track(click({ visit_id: String(visit.id) }))).body.visit_id).toBe(visit.id);
    expect((await t.app.affiliates.get(alice.id)).visits).toBe(1);
  });

  it.each<[string, () => Promise<{ id: number }>]>([
    ['of another affiliate', () => stored(bob.id)],
    ['of this site itself', () => stored(alice.id, { site_id: null })],
    ['older than the cookie lives', () => stored(alice.id, { created_at: Date.UTC(2025, 11, 1) })],
  ])('is not reused when it is one %s', async (_name, make) => {
    const visit = await make();

    const answer = await site.track(click({ visit_id: String(visit.id) }));

    expect(answer.body.message).toBe('success');
    expect(answer.body.visit_id).not.toBe(visit.id);
  });
});
