import { beforeEach, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import request from 'supertest';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { connectChild } from '../support/sites.js';
import { cookieParts, cookieOf, NAVIGATION, setCookie } from '../support/tracker.js';
import { listed } from '../support/lists.js';

let t: TestApp;
let affiliate: { id: number };

async function start(options: TestOptions = {}): Promise<void> {
  t = await startApp(options);
  affiliate = await t.records.affiliate();
}
beforeEach(() => start());

const make = async (body: Readonly<Record<string, unknown>> = {}) =>
  (
    await t.admin
      .post('/settings/links')
      .send({ slug: 'summer', affiliate_id: affiliate.id, ...body })
      .expect(200)
  ).body.link;
const go = (path = '/go/summer', headers: Readonly<Record<string, string>> = {}) =>
  request(t.server)
    .get(path)
    .set({ ...NAVIGATION, ...headers });
const visits = async () => {
  await t.service.tracking.flush();
  return (await t.admin.get('/visits').expect(200)).body.visits.data;
};

describe('GET /go/{slug} (docs/tracking.md §15)', () => {
  it('counts the click, sets the cookie and sends the visitor on', async () => {
    await make({ url: 'https://shop.test/sale?x=1#top', utm_campaign: 'heat' });
    const answer = await go('/go/Summer?utm_source=flyer', { Referer: 'https://blog.test/' }).expect(302);

    expect(answer.headers).toMatchObject({
      location: 'https://shop.test/sale?x=1&utm_source=flyer#top',
      'cache-control': 'no-store, private',
      'x-robots-tag': 'noindex',
    });
    expect(cookieParts(cookieOf(answer)).slice(0, 2)).toEqual([String(affiliate.id), '1']);
    expect(await visits()).toMatchObject([
      {
        url: 'https://shop.test/sale?x=1',
        referrer: 'https://blog.test/',
        utm_source: 'flyer',
        utm_campaign: 'heat',
      },
    ]);
    const credited = await t.service.conversions.record({ headers: { cookie: cookieOf(answer) } } as never, {
      provider: 'shop',
      reference: '1',
      order: { subtotal: 10 },
    });
    expect(credited.referral).toMatchObject({
      affiliate_id: affiliate.id,
      visit_id: 1,
      utm_campaign: 'heat',
    });
  });

  it('works without the tracker too, below the router wherever that is mounted', async () => {
    await make({ url: 'https://shop.test/sale' });
    const host = express();
    host.use('/program', t.service.router as RequestHandler);
    const answer = await request(host)
      .get('/program/go/summer/?utm_source=flyer')
      .set(NAVIGATION)
      .expect(302);
    expect([answer.headers['location'], cookieParts(cookieOf(answer))[0]]).toEqual([
      'https://shop.test/sale?utm_source=flyer',
      String(affiliate.id),
    ]);
    expect(await visits()).toMatchObject([{ url: 'https://shop.test/sale', utm_source: 'flyer' }]);
    expect((await request(host).get('/program/go/nobody').set(NAVIGATION).expect(404)).body.code).toBe(
      'rest_no_route',
    );
    await request(host).post('/program/go/summer').set(NAVIGATION).expect(404);
    expect((await go(`${t.service.basePath}/go/summer`).expect(302)).headers['location']).toBe(
      'https://shop.test/sale',
    );
  });

  it('leads to the creative while it is active, else to the default page', async () => {
    const { body } = await t.admin
      .post('/settings/creatives')
      .send({ name: 'Banner', type: 'text', text: 'Sale', url: 'https://shop.test/banner' })
      .expect(200);
    await make({ creative_id: body.creative.id });
    expect((await go().expect(302)).headers['location']).toBe('https://shop.test/banner');
    await t.admin.patch(`/settings/creatives/${body.creative.id}`).send({ status: 'inactive' }).expect(200);
    expect((await go().expect(302)).headers['location']).toBe('https://shop.test/');
    await t.admin.delete(`/settings/creatives/${body.creative.id}`).expect(200);
    await go().expect(200); // the link went with it; the host's own page answers
  });

  it.each([
    ['a crawler', { 'User-Agent': 'Googlebot/2.1' }],
    ['an image', { 'Sec-Fetch-Dest': 'image' }],
    ['an opt-out', { 'No-Track': '1' }],
  ])('sends %s on without counting it', async (_who, headers) => {
    await make();
    const answer = await go('/go/summer', headers).expect(302);
    expect(setCookie(answer)).toBeNull();
    expect(await visits()).toEqual([]);
  });

  it('leaves it to the page where nothing may be stored yet', async () => {
    await start({ tracking: { consent: 'required' } });
    await make({ url: 'https://shop.test/sale' });
    const answer = await go().expect(302);
    expect(answer.headers['location']).toBe(`https://shop.test/sale?ref=${affiliate.id}`);
    expect(setCookie(answer)).toBeNull();
    expect(await visits()).toEqual([]);
    expect((await go('/go/summer', { Cookie: 'f_aff_consent=yes' }).expect(302)).headers['location']).toBe(
      'https://shop.test/sale',
    );
  });

  it('leaves it to a connected site, by the name that site reads, and never leads there once it is gone', async () => {
    const child = await connectChild(t, 'https://store.test', { param_key: 'partner' });
    await make({ url: 'https://store.test/p?a=1' });
    expect((await go().expect(302)).headers['location']).toBe(
      `https://store.test/p?a=1&partner=${affiliate.id}`,
    );
    await t.admin
      .post('/settings/connected-sites-config/disconnect')
      .send({ site_id: child.site_id })
      .expect(200);
    expect((await go().expect(302)).headers['location']).toBe('https://shop.test/');
  });

  it('credits nobody for an affiliate who is not active', async () => {
    await make({ url: 'https://shop.test/sale' });
    await t.admin.patch(`/affiliates/${affiliate.id}/status`).send({ status: 'inactive' }).expect(200);
    const answer = await go().expect(302);
    expect([answer.headers['location'], setCookie(answer)]).toEqual(['https://shop.test/sale', null]);
  });

  it('leaves unknown and switched-off names to the host, and ends floods', async () => {
    await make({ status: 'inactive' });
    for (const path of ['/go/summer', '/go/other', '/go/', '/go/%2e%2e', '/go/a/b', '/gone/summer'])
      await go(path).expect(200).expect('<p>page</p>');
    const answers = await Promise.all(
      Array.from({ length: 310 }, () => go('/go/none').then(({ status }) => status)),
    );
    expect(answers).toContain(429);
  });
});

describe('targets', () => {
  it.each([
    'https://evil.test/',
    'https://shop.test.evil.test/',
    'https://shop.test@evil.test/',
    'javascript:alert(1)',
    '//evil.test',
    'https:\\\\evil.test',
    'http://evil.test/#https://shop.test/',
    'data:text/html,x',
    'https://user:pw@shop.test/',
  ])('%s is refused', async (url) => {
    const { body } = await t.admin
      .post('/settings/links')
      .send({ slug: 'x1', affiliate_id: affiliate.id, url })
      .expect(422);
    expect(['foreign_url', 'validation_failed']).toContain(body.code);
  });
});

describe('redirect links', () => {
  it('are kept by administrators and shown to their affiliate', async () => {
    const link = await make({ utm_campaign: 'heat' });
    expect(link).toMatchObject({
      id: 1,
      slug: 'summer',
      link: 'https://shop.test/go/summer',
      target: 'https://shop.test/',
      affiliate_id: affiliate.id,
      creative_id: null,
      url: null,
      utm_campaign: 'heat',
      status: 'active',
    });
    const generated = await make({ slug: undefined });
    expect(generated.slug).toMatch(/^[a-z0-9]{6}$/);
    expect((await t.admin.get('/settings/links?search=heat').expect(200)).body.links).toMatchObject({
      total: 1,
      data: [{ id: 1 }],
    });

    const changed = await t.admin
      .patch('/settings/links/1')
      .send({ slug: 'Winter', url: 'https://shop.test/w', utm_campaign: null })
      .expect(200);
    expect(changed.body.link).toMatchObject({
      slug: 'winter',
      target: 'https://shop.test/w',
      utm_campaign: null,
      status: 'active',
    });
    await t.admin.patch(`/settings/links/${generated.id}`).send({ status: 'inactive' }).expect(200);
    expect((await t.as(2).get('/portal/redirect-links').expect(200)).body.links.data).toMatchObject([
      { slug: 'winter' },
    ]);
    expect((await t.as(3).get('/portal/redirect-links').expect(422)).body.code).toBe('affiliate_not_found');

    await t.admin.delete('/settings/links/1').expect(200);
    await t.admin.get('/settings/links/1').expect(404);
    const entries = await listed(t, '/audit', 'object_type=link');
    expect(entries.map(({ action }) => action)).toEqual([
      'link.created',
      'link.created',
      'link.updated',
      'link.updated',
      'link.deleted',
    ]);
  });

  it.each([
    [{ slug: 'summer' }, 'slug_taken'],
    [{ slug: 'SUMMER' }, 'slug_taken'],
    [{ slug: 'a' }, 'validation_failed'],
    [{ slug: '-ab' }, 'validation_failed'],
    [{ slug: 'a b' }, 'validation_failed'],
    [{ slug: 'ok', affiliate_id: 99 }, 'affiliate_not_found'],
    [{ slug: 'ok', creative_id: 99 }, 'creative_not_found'],
  ])('are not made of %j', async (fields, code) => {
    await make();
    expect(
      (
        await t.admin
          .post('/settings/links')
          .send({ affiliate_id: affiliate.id, ...fields })
          .expect(422)
      ).body.code,
    ).toBe(code);
  });

  it('keep their names apart when two are renamed at once', async () => {
    const links = [await make(), await make({ slug: 'autumn' }), await make({ slug: 'spring' })];
    const answers = await Promise.all(
      links.map(({ id }) => t.admin.patch(`/settings/links/${id}`).send({ slug: 'winter' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'slug_taken')).toHaveLength(2);
    await t.admin
      .patch(`/settings/links/${links[0]!.id}`)
      .send({ status: 'inactive', slug: 'winter-2' })
      .expect(200);
  });

  it('go with their affiliate', async () => {
    await make();
    await t.admin.delete(`/affiliates/${affiliate.id}`).expect(200);
    expect((await t.admin.get('/settings/links').expect(200)).body.links.total).toBe(0);
  });
});

it('tracks a page the host hands over itself', async () => {
  const pages = (await import('node:http')).createServer((req, res) => {
    void t.service.trackVisit(req, res).then(() => res.end(req.url));
  });
  const answer = await request(pages).get(`/a/ref/${affiliate.id}?x=1`).set(NAVIGATION).expect(200);
  expect(answer.text).toBe('/a?x=1');
  expect(cookieParts(cookieOf(answer)).slice(0, 2)).toEqual([String(affiliate.id), '1']);
});
