import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild, signed, type Child } from '../support/sites.js';
import { BROWSER } from '../support/tracker.js';

const VISITS = '/connected-sites/visits';
const PAGE = 'https://store.test/shop?a=1&ref=2&utm_source=x#top';

let t: TestApp;
let child: Child;
let alice: { id: number };
beforeEach(async () => {
  t = await startApp({ rate: 10 });
  child = await connectChild(t, 'https://store.test');
  alice = await t.records.affiliate();
});

const visit = (fields: object = {}) =>
  signed(t, child, 'post', VISITS, {
    affiliate_param: String(alice.id),
    url: PAGE,
    ip: '203.0.113.7',
    ...fields,
  });
const visits = async (): Promise<number> => (await t.admin.get('/visits').expect(200)).body.visits.total;

describe('handshake', () => {
  it('returns the settings of the site and the program', async () => {
    const { body } = await signed(t, child, 'get', '/connected-sites/handshake').expect(200);
    expect(body).toEqual({
      site: {
        site_id: child.site_id,
        site_url: 'https://store.test',
        site_title: 'store.test',
        status: 'active',
      },
      primary: {
        name: 'Shop',
        url: 'https://shop.test',
        portal_url: 'https://shop.test/',
        referral_variable: 'ref',
      },
      param_key: 'ref',
      former_params: [],
      cookie_duration: 30,
      credit_last_referrer: 'yes',
      referral_format: 'id',
      currency: 'USD',
      server_time: t.clock.time / 1000,
    });
  });

  it('notes the moment once a minute', async () => {
    const seen = async (): Promise<string | null> =>
      (await t.admin.get('/settings/connected-sites-config')).body.config.sites[0].last_seen_at;
    expect(await seen()).toBeNull();
    for (const [wait, expected] of [
      [0, '15:00:00'],
      [59_000, '15:00:00'],
      [1000, '15:01:00'],
    ] as const) {
      t.clock.advance(wait);
      await signed(t, child, 'get', '/connected-sites/handshake').expect(200);
      expect(await seen()).toBe(`2026-01-15T${expected}+00:00`);
    }
  });
});

describe('the affiliate of a value', () => {
  it.each(['id', 'alice', 'ALICE'])('by %s', async (param) => {
    const value = param === 'id' ? String(alice.id) : param;
    expect((await signed(t, child, 'get', `/connected-sites/affiliates/${value}`).expect(200)).body).toEqual({
      affiliate: { id: alice.id, param: value, status: 'active' },
    });
  });

  it('gives one and the same response for an unknown and an inactive site', async () => {
    const bob = await t.records.affiliate({ user_id: 3, status: 'inactive' });
    const [unknown, inactive] = [
      await signed(t, child, 'get', '/connected-sites/affiliates/nobody'),
      await signed(t, child, 'get', `/connected-sites/affiliates/${bob.id}`),
    ];
    expect([unknown.status, unknown.body.code]).toEqual([404, 'affiliate_not_found']);
    expect(inactive.body).toEqual(unknown.body);
  });

  it('goes through the filter', async () => {
    const found = await t.app.affiliates.get(alice.id);
    t.service.hooks.addFilter('affiliate_by_param', (affiliate, value) =>
      value === 'magic' ? found : affiliate,
    );
    expect(
      (await signed(t, child, 'get', '/connected-sites/affiliates/magic').expect(200)).body.affiliate.id,
    ).toBe(alice.id);
  });
});

describe('visits', () => {
  it('are stored with their site, counted and answered with a cookie', async () => {
    const { body } = await visit({
      referrer: 'https://blog.test/post',
      utm_campaign: 'May <b>',
      utm_medium: 'mail',
      utm_source: 'x'.repeat(120),
    }).expect(200);
    expect(body).toEqual({
      message: 'success',
      visit_id: expect.any(Number),
      affiliate_id: alice.id,
      created: true,
      cookie: { name: `f_aff_${child.site_id}`, value: `${alice.id}|${body.visit_id}`, max_age_days: 30 },
      click: expect.any(String),
    });
    expect(await t.app.visits.find(body.visit_id)).toMatchObject({
      site_id: child.site_id,
      url: 'https://store.test/shop?a=1',
      referrer: 'https://blog.test/post',
      utm_campaign: 'May <b>',
      utm_medium: 'mail',
      utm_source: 'x'.repeat(100),
      ip: '203.0.113.0',
      event_id: null,
    });
    expect((await t.admin.get(`/affiliates/${alice.id}`)).body.affiliate.visits).toBe(1);
  });

  it('are reused within half an hour, or when the earlier one is named', async () => {
    const first = (await visit()).body;
    const repeated = {
      message: 'success',
      visit_id: first.visit_id,
      affiliate_id: alice.id,
      created: false,
      cookie: first.cookie,
      click: expect.any(String),
    };
    expect((await visit()).body).toEqual(repeated);
    t.clock.advance(31 * 60_000);
    expect((await visit({ visit_id: first.visit_id })).body).toEqual(repeated);
    expect((await visit()).body.created).toBe(true);
    expect(await visits()).toBe(2);
  });

  it("that had to wait count when they happened, within the cookie's term", async () => {
    const now = t.clock.time / 1000;
    const at = async (occurred_at: number): Promise<string> => {
      const { body } = await visit({ occurred_at, ip: `203.0.113.${++count}` }).expect(200);
      return (await t.admin.get(`/visits?search=id:${body.visit_id}`).expect(200)).body.visits.data.find(
        ({ id }: { id: number }) => id === body.visit_id,
      ).created_at;
    };
    let count = 0;
    expect(await at(now - 2 * 86_400)).toBe('2026-01-13T15:00:00+00:00');
    for (const other of [now + 3600, now - 31 * 86_400])
      expect(await at(other)).toBe('2026-01-15T15:00:00+00:00');
    for (const wrong of ['soon', -1, 1.5]) await visit({ occurred_at: wrong }).expect(422);
    const days = 'start_date=2026-01-13&end_date=2026-01-15';
    const { body } = await t.admin.get(`/affiliates/${alice.id}/statistics?${days}`).expect(200);
    expect(body.series).toContainEqual({ name: 'Visits', data: [1, 0, 2] });
  });

  it('that waited together are repeats by the time between them, and limited by the time they come', async () => {
    t.service.hooks.addFilter('visit_flood_limit', () => 3);
    const now = t.clock.time / 1000;
    const created = [];
    for (const minutes of [240, 235, 120, 60, 0])
      created.push((await visit({ occurred_at: now - minutes * 60 })).body.message);
    expect([created, await visits()]).toEqual([['success', 'success', 'success', 'success', 'throttled'], 3]);
  });

  it('never reuse a visit of another affiliate', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    const theirs = (await visit({ affiliate_param: String(bob.id) })).body;
    const { body } = await visit({ visit_id: theirs.visit_id });
    expect([body.created, body.visit_id === theirs.visit_id]).toEqual([true, false]);
  });

  it('of one event are one, and answered alike', async () => {
    const first = (await visit({ event_id: 'e-1' })).body;
    t.clock.advance(24 * 3_600_000);
    expect((await visit({ event_id: 'e-1' })).body).toEqual({ ...first, click: expect.any(String) });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => visit({ event_id: 'e-2', ip: undefined })),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await visits()).toBe(2);
    const other = await connectChild(t, 'https://other.test');
    const { body } = await signed(t, other, 'post', VISITS, {
      affiliate_param: String(alice.id),
      url: 'https://other.test/',
      event_id: 'e-1',
    });
    expect(body.visit_id).not.toBe(first.visit_id);
  });

  it.each([
    ['the same affiliate', 'yes', true],
    ['another one where the first counts', 'no', false],
  ])('are not counted for a visitor who has %s', async (_name, last, same) => {
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.admin
      .patch('/settings/connected-sites-config/update')
      .send({ site_id: child.site_id, credit_last_referrer: last })
      .expect(200);
    const { body } = await visit({ current_param: String(same ? alice.id : bob.id) }).expect(200);
    expect(body).toEqual({
      message: 'already_exist',
      visit_id: null,
      affiliate_id: alice.id,
      created: false,
      cookie: null,
      click: expect.any(String),
    });
    expect(await visits()).toBe(0);
  });

  it('are counted where the last click counts, and for a visitor without an affiliate', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    expect((await visit({ current_param: String(bob.id) })).body.created).toBe(true);
    expect((await visit({ current_param: 'nobody', ip: '203.0.113.9' })).body.created).toBe(true);
  });

  it('are throttled per address', async () => {
    t.service.hooks.addFilter('visit_flood_limit', () => 2);
    t.service.hooks.addFilter('visit_dedup_window', () => 0);
    const answers = [await visit(), await visit(), await visit()].map(({ status, body }) => [
      status,
      body.message,
      body.cookie.value.endsWith('|'),
    ]);
    expect(answers).toEqual([
      [200, 'success', false],
      [200, 'success', false],
      [200, 'throttled', true],
    ]);
    expect((await visit()).body).toMatchObject({
      visit_id: null,
      created: false,
      cookie: { name: `f_aff_${child.site_id}`, value: `${alice.id}|`, max_age_days: 30 },
    });
  });

  it.each([
    ['a banned site', { bannedReferrers: ['spam.test'] }, { referrer: 'https://www.spam.test/' }],
    ['a banned address', { bannedAddresses: ['203.0.113.0/24'] }, {}],
  ])('of visitors from %s are not counted, and not sent again', async (_name, tracking, fields) => {
    t = await startApp({ rate: 10, tracking });
    child = await connectChild(t, 'https://store.test');
    alice = await t.records.affiliate();
    const { body } = await visit(fields).expect(200);
    expect(body).toEqual({
      message: 'no',
      visit_id: null,
      affiliate_id: alice.id,
      created: false,
      cookie: null,
      click: expect.any(String),
    });
    expect(await visits()).toBe(0);
  });

  it('of unknown and inactive affiliates are refused alike', async () => {
    const bob = await t.records.affiliate({ user_id: 3, status: 'inactive' });
    for (const affiliate_param of ['nobody', String(bob.id)])
      expect((await visit({ affiliate_param }).expect(404)).body.code).toBe('affiliate_not_found');
  });

  it.each([
    'https://evil.test/',
    'https://store.test.evil.test/',
    'https://store.test@evil.test/',
    'https://store.test:8443/',
    '/shop',
    'store.test',
    'javascript:alert(1)',
    '//store.test/',
    'https://www.store.test/',
  ])("on %s are not this site's", async (url) => {
    expect((await visit({ url }).expect(422)).body.code).toBe('url_outside_site');
  });

  it('belong to the site with the longest path', async () => {
    const shop = await connectChild(t, 'https://store.test/shop');
    const send = (site: Child, url: string) =>
      signed(t, site, 'post', VISITS, { affiliate_param: String(alice.id), url });
    const codes = [];
    for (const [site, url] of [
      [child, 'https://store.test/'],
      [child, 'https://store.test/shopping'],
      [shop, 'https://store.test/shop'],
      [shop, 'http://store.test/shop/x'],
      [child, 'https://store.test/shop/x'],
      [shop, 'https://store.test/'],
      [shop, 'https://store.test/shop/../x'],
      [shop, 'https://store.test/shop/%2e%2e/x'],
    ] as const)
      codes.push((await send(site, url)).status);
    expect(codes).toEqual([200, 200, 200, 200, 422, 422, 422, 422]);
  });

  it.each([
    ['affiliate_param', undefined],
    ['affiliate_param', ''],
    ['affiliate_param', 'x'.repeat(192)],
    ['url', undefined],
    ['ip', '999.1.1.1'],
    ['ip', 'localhost'],
    ['visit_id', 'x'],
    ['event_id', 'x'.repeat(65)],
  ])('with a wrong %s are refused', async (name, value) => {
    const { body } = await visit({ [name]: value }).expect(422);
    expect([body.code, Object.keys(body.errors)]).toEqual(['validation_failed', [name]]);
  });

  it.each([['javascript:alert(1)'], ['not a url'], [42]])(
    'with the referrer %j have none',
    async (referrer) => {
      const { body } = await visit({ referrer }).expect(200);
      expect((await t.app.visits.find(body.visit_id))?.referrer).toBeNull();
    },
  );
});

describe('a journey over two sites', () => {
  it('is one visit: the primary reuses the one its link names', async () => {
    const { visit_id } = (await visit()).body;
    t.clock.advance(3_600_000);
    const answer = await request(t.server)
      .get(`/?ref=${alice.id}&visit_id=${visit_id}`)
      .set({ 'User-Agent': BROWSER, Accept: 'text/html', 'Sec-Fetch-Dest': 'document' });
    expect(decodeURIComponent(String(answer.headers['set-cookie']))).toContain(
      `f_aff=${alice.id}|${visit_id}|`,
    );
    expect(await visits()).toBe(1);
  });
});

describe('pages of connected sites', () => {
  const track = (origin: string) =>
    request(t.server)
      .post(`${t.service.basePath}/track`)
      .type('form')
      .set({ 'User-Agent': BROWSER, Origin: origin })
      .send({ __aff_id__: String(alice.id), url: `${origin}/page` });

  it.each([
    ['an active site', 'https://store.test', {}, true],
    ['an inactive site', 'https://store.test', { site: 'inactive' }, false],
    ['multi-site off', 'https://store.test', { all: 'no' }, false],
    ['a stranger', 'https://evil.test', {}, false],
    ['another port', 'https://store.test:8443', {}, false],
  ] as const)(
    'may report clicks of the script: %s',
    async (_name, origin, { site, all }: { site?: string; all?: string }, allowed) => {
      if (site)
        await t.admin
          .patch('/settings/connected-sites-config/update')
          .send({ site_id: child.site_id, status: site })
          .expect(200);
      if (all) await t.admin.patch('/settings/connected-sites-config').send({ status: all }).expect(200);
      const { headers, body } = await track(origin);
      expect([
        headers['access-control-allow-origin'],
        headers['access-control-allow-credentials'],
        body.message,
      ]).toEqual(allowed ? [origin, undefined, 'success'] : [undefined, undefined, 'no']);
    },
  );

  it('get no CORS on the site routes', async () => {
    const { headers } = await signed(t, child, 'get', '/connected-sites/handshake').set(
      'Origin',
      'https://store.test',
    );
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the share widget', () => {
  const first = () => ({
    name: 'store.test',
    url: 'https://store.test/',
    param: 'ref',
    id: child.site_id,
    title: 'store.test',
    subtitle: '',
    description: '',
    logo: '',
  });

  it('lists active sites in the order they were connected', async () => {
    const other = await connectChild(t, 'https://other.test/shop', {
      site_title: 'Other',
      param_key: 'aff',
      subtitle: 'Sub',
      description: '<p>D</p>',
      logo: 'https://other.test/l.png',
    });
    await connectChild(t, 'https://third.test', { status: 'inactive' });
    expect(await t.app.connectedSites.additionalSites()).toEqual([
      first(),
      {
        name: 'Other',
        url: 'https://other.test/shop/',
        param: 'aff',
        id: other.site_id,
        title: 'Other',
        subtitle: 'Sub',
        description: '<p>D</p>',
        logo: 'https://other.test/l.png',
      },
    ]);
  });

  it('is empty while multi-site is off', async () => {
    await t.admin.patch('/settings/connected-sites-config').send({ status: 'no' }).expect(200);
    expect(await t.app.connectedSites.additionalSites()).toEqual([]);
  });

  it('takes what extensions add and drops what cannot be opened', async () => {
    const affiliate = await t.app.affiliates.get(alice.id);
    const asked: unknown[] = [];
    t.service.hooks.addFilter('portal/additional_sites', (sites, who) => {
      asked.push(who?.id);
      return [
        ...sites,
        { label: 'Label', url: 'https://x.test/', param: 'ref', description: '<script>x</script>y' },
        { title: 'T', url: 'https://y.test/' },
        { name: 'bad', url: 'javascript:alert(1)' },
        null,
        { name: 'none' },
      ] as never;
    });
    const entries = await t.app.connectedSites.additionalSites(affiliate);
    expect(entries.map(({ name, title, url, description }) => [name, title, url, description])).toEqual([
      ['store.test', 'store.test', 'https://store.test/', ''],
      ['Label', 'Label', 'https://x.test/', 'y'],
      ['T', 'T', 'https://y.test/', ''],
    ]);
    expect(asked).toEqual([alice.id]);
  });
});
