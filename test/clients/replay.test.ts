import { expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp } from '../support/app.js';
import { REQUESTS } from './requests.js';
import { shopProvider } from './shop-provider.js';

it('runs the session of an existing client', async () => {
  const t = await startApp({ compat: 'fluent-affiliate', providers: [shopProvider('woo')] });
  expect(t.service.basePath).toBe('/wp-json/fluent-affiliate/v2');
  const answers = new Map<string, Record<string, never>>();
  for (const { what, method, path, headers = {}, body, reads } of REQUESTS) {
    const call = request(t.server)
      [method === 'GET' ? 'get' : 'post'](t.service.basePath + path)
      .set({ ...t.headers(1), Accept: 'application/json, text/plain, */*', ...headers });
    const answer = await (body === undefined ? call : call.send(body));
    expect([what, answer.status, Object.keys(answer.body as object).includes(reads)]).toEqual([
      what,
      200,
      true,
    ]);
    answers.set(what, answer.body);
  }
  expect(answers.get('an affiliate')?.['affiliate']).toMatchObject({ group_id: '1', rate_type: 'group' });
  expect(answers.get('the whole record back with an own rate')?.['affiliate']).toMatchObject({
    group_id: null,
    rate: 10,
  });
  expect(answers.get('the rows of an export')?.['referrals']).toHaveLength(1);
  expect(answers.get('paid')?.['transaction']).toMatchObject({ status: 'paid', affiliate: { id: 1 } });
});

it('answers in the forms of that plugin with `compat`, and its hooks have its prefix', async () => {
  const t = await startApp({ compat: 'fluent-affiliate', providers: [shopProvider('woo')] });
  const { body } = await t.admin.get('/settings/managers').expect(200);
  expect(Object.values(body.permissions as object).every((label) => typeof label === 'string')).toBe(true);
  const { integrations } = (await t.admin.get('/settings/integrations').expect(200)).body;
  expect(integrations.woo.logo).toMatch(/^<svg [^>]+>.*<\/svg>$/);
  const { features } = (await t.admin.get('/settings/features').expect(200)).body;
  expect((features as { icon: string }[]).every(({ icon }) => /^<svg [^>]+>.*<\/svg>$/.test(icon))).toBe(
    true,
  );
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
