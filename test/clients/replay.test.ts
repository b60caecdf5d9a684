import { expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { LATER } from './later-requests.js';
import { REQUESTS, type Recorded } from './requests.js';
import { shopProvider } from './shop-provider.js';

/** Sends them one after the other; what was answered to each. */
async function replay(
  t: TestApp,
  requests: readonly Recorded[],
): Promise<Map<string, Record<string, never>>> {
  const answers = new Map<string, Record<string, never>>();
  for (const { what, method, path, headers = {}, body, reads, answers: expected = {}, as = 1 } of requests) {
    const call = request(t.server)
      [method === 'GET' ? 'get' : 'post'](t.service.basePath + path)
      .set({ ...t.headers(as), Accept: 'application/json, text/plain, */*', ...headers });
    const answer = await (body === undefined ? call : call.send(body));
    const found = Object.keys(answer.body as object).includes(reads);
    expect([what, answer.status, found, answer.body]).toMatchObject([what, 200, true, expected]);
    answers.set(what, answer.body);
  }
  return answers;
}

it('runs the sessions of an existing client', async () => {
  const t = await startApp({ compat: 'fluent-affiliate', providers: [shopProvider('woo')] });
  expect(t.service.basePath).toBe('/wp-json/fluent-affiliate/v2');
  const answers = await replay(t, REQUESTS);
  expect(answers.get('an affiliate')?.['affiliate']).toMatchObject({ group_id: '1', rate_type: 'group' });
  expect(answers.get('the whole record back with an own rate')?.['affiliate']).toMatchObject({
    group_id: null,
    rate: 10,
  });
  expect(answers.get('the rows of an export')?.['referrals']).toHaveLength(1);
  expect(answers.get('paid')?.['transaction']).toMatchObject({ status: 'paid', affiliate: { id: 1 } });

  await t.service.conversions.record(null, {
    provider: 'woo',
    reference: '5512',
    status: 'unpaid',
    affiliate: 1,
    order: { subtotal: '100.00' },
    customer: { email: 'jo@buyer.test', first_name: 'Jo' },
  });
  await replay(t, LATER);
});

it("prints the values that the plugin's admin app starts with, with the rights of who is signed in", async () => {
  const t = await startApp({ compat: 'fluent-affiliate', providers: [shopProvider('woo')] });
  const places = { pageUrl: 'https://shop.test/admin', assetUrl: 'https://shop.test/plugin/' };
  const seen: unknown[] = [];
  const site = express().get('/admin', (req, res, next) => {
    t.service.compat.appGlobals(req, places).then((globals) => {
      seen.push(globals);
      res.json(globals);
    }, next);
  });
  site.use(((error: { code: string; status: number }, _req, res, _next) => {
    res.status(error.status).json({ code: error.code });
  }) as ErrorRequestHandler);
  const { body } = await request(site).get('/admin').set(t.headers(1)).expect(200);
  expect(body).toMatchObject({
    slug: 'fluent-affiliate',
    base_url: 'https://shop.test/admin#',
    asset_url: places.assetUrl,
    rest: { url: expect.stringMatching(/\/fluent-affiliate\/v2$/), nonce: expect.any(String) },
    me: { id: 1, is_admin: true, permissions: expect.arrayContaining(['admin', 'manage_all_payouts']) },
    currency: { currency: 'USD', currency_symbol: '$', number_format: expect.any(String) },
    currencies: { EUR: 'Euro' },
    settings_menu_items: { captcha_settings: { route: { name: 'captcha_settings' } } },
    integration_types: { woo: { integration: 'woo' } },
    referral_formats: expect.arrayContaining([{ label: expect.any(String), value: 'id' }]),
  });
  await t.admin.post('/settings/managers').send({ user_id: 2, permissions: ['manage_all_affiliates'] });
  const manager = await request(site).get('/admin').set(t.headers(2)).expect(200);
  expect(manager.body.me).toMatchObject({
    is_admin: false,
    permissions: ['read_all_affiliates', 'manage_all_affiliates'],
  });
  await request(site).get('/admin').expect(403, { code: 'rest_forbidden' });
});

it('answers in the forms of that plugin with `compat`, and its hooks have its prefix', async () => {
  const t = await startApp({ compat: 'fluent-affiliate', providers: [shopProvider('woo')] });
  const { body } = await t.admin.get('/settings/managers').expect(200);
  expect(Object.values(body.permissions as object).every((label) => typeof label === 'string')).toBe(true);
  const { integrations } = (await t.admin.get('/settings/integrations').expect(200)).body;
  expect(integrations.woo.logo).toMatch(/^data:image\/svg\+xml,%3Csvg/); // an address for `src`
  const { features } = (await t.admin.get('/settings/features').expect(200)).body;
  expect(
    (features as { icon: string }[]).every(({ icon }) =>
      /^<svg [^>]+ width="20" height="20" [^>]+>.*<\/svg>$/.test(icon),
    ),
  ).toBe(true);
  await t.admin
    .post('/settings/managers')
    .send({ user_id: 5, permissions: ['manage_all_referrals'] })
    .expect(200);
  await t.as(5).get('/settings/options/affiliates').expect(200);
  const alice = await t.records.affiliate({ user_id: 2 });
  const { creative } = (
    await t.admin
      .post('/settings/creatives')
      .send({
        name: 'B',
        type: 'text',
        text: 'x',
        url: 'https://shop.test/',
        privacy: 'private',
        affiliate_ids: [alice.id],
      })
      .expect(200)
  ).body;
  expect(creative.affiliate_ids).toEqual([String(alice.id)]);
  const { menu_items } = (await t.as(2).get('/portal/bootstrap').expect(200)).body;
  expect(Object.values(menu_items as Record<string, { title: string }>).map(({ title }) => title)).toEqual([
    'Dashboard',
    'Links',
    'Promo Materials',
    'Referrals',
    'Payouts',
    'Visits',
    'Settings',
  ]);
  expect(menu_items.home.icon).toMatch(/^<svg/);
  let seen = 0;
  t.service.hooks.addAction('fluent_affiliate/affiliate_updated' as never, () => void (seen += 1));
  await t.admin.patch(`/affiliates/${alice.id}`).send({ note: 'x' }).expect(200);
  expect(seen).toBe(1);
});
