import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Script } from 'node:vm';
import express from 'express';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import {
  BROWSER,
  cookieOf,
  cookieParts,
  NAVIGATION,
  setCookie,
  trackedSite,
  type TrackedSite,
} from '../support/tracker.js';
import { statementsOf } from '../support/statements.js';
import { storedRows } from '../support/rows.js';

let t: TestApp;
let site: TrackedSite;
let alice: { id: number };
let bob: { id: number };

beforeEach(async () => {
  t = await startApp();
  site = trackedSite(t.app);
  alice = await t.records.affiliate({ user_id: 2 });
  bob = await t.records.affiliate({ user_id: 3 });
});

const visits = async (): Promise<Record<string, unknown>[]> =>
  (await t.admin.get('/visits').expect(200)).body.visits.data;
const visitCounter = async (id: number): Promise<number> => (await t.app.affiliates.get(id)).visits;
const skipped = async (): Promise<Record<string, number>> => {
  const rows = await t.app.tracking.skipped({ from: 0, to: 1_000_000 });
  return Object.fromEntries(rows.map((row) => [row.reason, row.hits]));
};
const configure = (referral_config: object): Promise<unknown> =>
  t.admin.post('/settings/referral-config').send({ referral_config }).expect(200);

describe('a click on a page', () => {
  it('is stored with what the link and the request say', async () => {
    const answer = await site
      .open(`/p/1?ref=${alice.id}&utm_source=news&utm_medium=mail&utm_campaign=summer&color=red`, {
        Referer: 'https://blog.example/post',
      })
      .expect(200);

    expect(answer.text).toBe(
      `/p/1?ref=${alice.id}&utm_source=news&utm_medium=mail&utm_campaign=summer&color=red`,
    );
    expect(await visits()).toEqual([
      expect.objectContaining({
        affiliate_id: alice.id,
        user_id: null,
        referral_id: null,
        url: 'https://shop.test/p/1?color=red',
        referrer: 'https://blog.example/post',
        utm_source: 'news',
        utm_medium: 'mail',
        utm_campaign: 'summer',
        ip: '127.0.0.0',
        created_at: '2026-01-15T15:00:00+00:00',
        referrals: [],
      }),
    ]);
    expect(await visitCounter(alice.id)).toBe(1);
  });

  it('sets a signed cookie on a page nobody may cache', async () => {
    const answer = await site.open(`/?ref=${alice.id}`).expect(200);

    expect(setCookie(answer)).toMatch(/^f_aff=[^;]+; Max-Age=2592000; Path=\/; Secure; SameSite=Lax$/);
    expect(cookieParts(cookieOf(answer))).toEqual([
      String(alice.id),
      expect.stringMatching(/^\d+$/),
      String(Date.UTC(2026, 0, 15, 15) / 1000),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.headers['vary']).toContain('Cookie');
  });

  it('leaves other pages as the host made them', async () => {
    const answer = await site.open('/p/1?color=red').expect(200);

    expect(answer.headers['cache-control']).toBe('public, max-age=600');
    expect(answer.headers['vary']).toBeUndefined();
    expect(setCookie(answer)).toBeNull();
  });

  it('finds the path form and hands the host its own page', async () => {
    expect((await site.open(`/shop/mugs/ref/${alice.id}?color=red`)).text).toBe('/shop/mugs?color=red');
    expect((await site.open('/shop/ref/nobody')).text).toBe('/shop/ref/nobody');
    expect((await site.open(`/shop/ref/${alice.id}`, { 'User-Agent': 'curl/8' })).text).toBe('/shop');
    expect(await visits()).toHaveLength(1);
  });

  it.each([
    ['the id', (): string => String(alice.id), 1],
    ['the login', (): string => 'alice', 1],
    ['the custom parameter in any case', (): string => 'Ally', 1],
    ['an id with letters', (): string => `${alice.id}abc`, 0],
    ['a number with a sign', (): string => `+${alice.id}`, 0],
    ['an unknown name', (): string => 'nobody', 0],
    ['an id beyond exact numbers', (): string => '9007199254740993', 0],
  ])('takes %s', async (_name, value, count) => {
    await t.admin.patch(`/affiliates/${alice.id}`).send({ custom_param: 'ally' }).expect(200);

    await site.open(`/?ref=${encodeURIComponent(value())}`).expect(200);

    expect(await visits()).toHaveLength(count);
  });

  it('does not count for an affiliate who is not active', async () => {
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);

    expect(setCookie(await site.open(`/?ref=${alice.id}`))).toBeNull();
    expect(await visits()).toEqual([]);
    expect(await skipped()).toEqual({ inactive_affiliate: 1 });
  });

  it('does not count the affiliate himself', async () => {
    const { cookie } = t.host.signIn(2);

    expect(setCookie(await site.open(`/?ref=${alice.id}`, { Cookie: cookie }))).toBeNull();
    expect(setCookie(await site.open(`/?ref=${bob.id}`, { Cookie: cookie }))).not.toBeNull();
    expect((await visits())[0]).toMatchObject({ affiliate_id: bob.id, user_id: 2 });
    expect(await skipped()).toEqual({ own_click: 1 });
  });

  it('counts ignored clicks by reason, and calls the listeners', async () => {
    const heard: unknown[] = [];
    t.service.hooks.addAction('visit_ignored', (ignored) => {
      heard.push(ignored);
    });
    await site.open(`/?ref=${alice.id}`, { 'Sec-Purpose': 'prefetch' });
    await site.open(`/?ref=${alice.id}`, { 'Sec-Purpose': 'prefetch' });
    await site.open(`/?ref=${alice.id}`, { 'User-Agent': '' });
    await request(site.pages).head(`/?ref=${alice.id}`).set(NAVIGATION);

    expect(await visits()).toEqual([]);
    expect(await skipped()).toEqual({ prefetch: 2, no_agent: 1, head: 1 });
    expect(heard).toHaveLength(4);
  });

  it('passes the stored visit to extensions', async () => {
    const heard: unknown[] = [];
    t.service.hooks.addAction('visit_created', (visit) => {
      heard.push(visit);
    });

    await site.open(`/?ref=${alice.id}`);
    await t.app.tracking.flush();

    expect(heard).toEqual([expect.objectContaining({ affiliate_id: alice.id, url: 'https://shop.test/' })]);
  });
});

describe('a hook about a stored visit', () => {
  it('finds what the host keeps for its request, also when clicks are stored together', async () => {
    const requests = new AsyncLocalStorage<string>();
    const heard = new Map<unknown, unknown>();
    t.service.hooks.addAction('visit_created', ({ url }) => {
      heard.set(url, requests.getStore());
    });
    const track = t.app.tracking.middleware();
    const pages = express();
    pages.use((req, res, next) => {
      requests.run(`request of ${req.path}`, () => {
        track(req, res, next);
      });
    });
    pages.use((_req, res) => {
      res.send('page');
    });
    const paths = ['/a', '/b', '/c'];
    await Promise.all(
      paths.map((path, n) =>
        request(pages)
          .get(`${path}?ref=${alice.id}`)
          .set({ ...NAVIGATION, 'User-Agent': `${BROWSER} ${n}` }),
      ),
    );
    await t.app.tracking.flush();

    expect(heard).toEqual(new Map(paths.map((path) => [`https://shop.test${path}`, `request of ${path}`])));
  });
});

describe('a visitor who comes back', () => {
  it('costs no query while his cookie names the same affiliate', async () => {
    const cookie = cookieOf(await site.open(`/?ref=${alice.id}`));

    const queries = await statementsOf(t, async () => {
      const answer = await site.open(`/p/2?ref=${alice.id}`, { Cookie: cookie });
      expect(setCookie(answer)).toBeNull();
      expect(answer.headers['cache-control']).toBe('no-store, private');
    });

    expect(queries).toEqual([]);
  });

  it('starts the time anew after an hour, without a new visit', async () => {
    const first = cookieOf(await site.open(`/?ref=${alice.id}`));
    t.clock.time += 2 * 3_600_000;

    const second = cookieOf(await site.open(`/?ref=${alice.id}`, { Cookie: first }));

    expect(cookieParts(second).slice(0, 2)).toEqual(cookieParts(first).slice(0, 2));
    expect(Number(cookieParts(second)[2])).toBe(Number(cookieParts(first)[2]) + 7200);
    expect(await visitCounter(alice.id)).toBe(1);
  });

  it('moves to the last affiliate he followed', async () => {
    const first = cookieOf(await site.open(`/?ref=${alice.id}`));

    const second = await site.open(`/?ref=${bob.id}`, { Cookie: first });

    expect(cookieParts(cookieOf(second))[0]).toBe(String(bob.id));
    expect([await visitCounter(alice.id), await visitCounter(bob.id)]).toEqual([1, 1]);
  });

  it('stays with the first one where the first click wins, unless that one is gone', async () => {
    await configure({ credit_last_referrer: 'no' });
    const first = cookieOf(await site.open(`/?ref=${alice.id}`));

    expect(setCookie(await site.open(`/?ref=${bob.id}`, { Cookie: first }))).toBeNull();
    expect(await skipped()).toEqual({ first_click_wins: 1 });

    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);
    expect(setCookie(await site.open(`/?ref=${bob.id}`, { Cookie: first }))).not.toBeNull();
  });
});

describe('consent', () => {
  it('stores nothing before it is given where it is required', async () => {
    const asking = await startApp({ tracking: { consent: 'required' } });
    const pages = trackedSite(asking.app);
    const affiliate = await asking.records.affiliate({ user_id: 2 });

    expect(setCookie(await pages.open(`/?ref=${affiliate.id}`))).toBeNull();
    const fields = { __aff_id__: String(affiliate.id), url: 'https://shop.test/' };
    expect((await pages.track(fields)).body.message).toBe('no');
    expect((await asking.app.affiliates.get(affiliate.id)).visits).toBe(0);

    expect((await pages.track({ ...fields, consent: '1' })).body.message).toBe('success');
    expect(
      setCookie(await pages.open(`/?ref=${affiliate.id}`, { Cookie: 'f_aff_consent=yes' })),
    ).not.toBeNull();
  });
});

describe('when something is broken', () => {
  it('serves the page while the host does not answer: the cookie is set, and no visit is stored', async () => {
    t.host.currentUser = () =>
      new Promise(() => {
        /* never */
      });

    const answer = await site.open(`/?ref=${alice.id}`).expect(200);

    expect(setCookie(answer)).toMatch(new RegExp(`^f_aff=${alice.id}%7C%7C`));
    expect(await storedRows(t, 'visits')).toEqual([]); // requests of the host's users wait too
  });

  it('serves the page when the database fails, and logs it', async () => {
    t.app.affiliates.find = () => Promise.reject(new Error('gone'));

    await site.open(`/?ref=${alice.id}`).expect(200);
  });

  it('keeps the cookie and the ban on caching when a host writes its headers by hand', async () => {
    const pages = express();
    pages.use(t.app.tracking.middleware());
    pages.use((_req, res) => {
      res.writeHead(200, { 'Cache-Control': 'public', 'X-Page': '1' }).end('x');
    });

    const answer = await request(pages).get(`/?ref=${alice.id}`).set(NAVIGATION).expect(200);

    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store, private', 'x-page': '1' });
    expect(setCookie(answer)).not.toBeNull();
  });
});

describe('the browser script', () => {
  it('is served with its settings and confirmed by its tag', async () => {
    const script = await request(site.pages).get('/site-links.js').expect(200);

    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
    expect(script.text).toContain('"aff_param":"ref"');
    expect(script.text).toContain('"request_url":"/wp-json/affiliate-service/v2/track"');
    expect(() => new Script(script.text)).not.toThrow();
    await request(site.pages)
      .get('/site-links.js')
      .set('If-None-Match', script.headers['etag'] ?? '')
      .expect(304);
    await configure({ cookie_duration: 10 });
    await request(site.pages)
      .get('/site-links.js')
      .set('If-None-Match', script.headers['etag'] ?? '')
      .set('User-Agent', BROWSER)
      .expect(200);
  });

  it('takes the settings extensions give it', async () => {
    t.service.hooks.addFilter('tracker_vars', (vars) => ({ ...vars, aff_param: 'via' }));

    expect((await request(site.pages).get('/site-links.js')).text).toContain('"aff_param":"via"');
  });
});
