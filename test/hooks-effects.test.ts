import { expect, it } from '@jest/globals';
import { shopProvider } from './clients/shop-provider.js';
import { memorySource } from './imports/memory-source.js';
import { startApp } from './support/app.js';
import { readText, sources } from './support/sources.js';

// What documented hooks do that no other test calls.

it('settings: keys of an extension are saved as their types say, and the configuration is read through a filter', async () => {
  const t = await startApp();
  const { hooks } = t.service;
  hooks.addFilter('default_referral_settings', (all) => ({ ...all, tier: 'a', most: 0, share: 0, note: '' }));
  hooks.addFilter('referral_config_field_types', (all) => ({
    ...all,
    tier: ['a', 'b'],
    most: 'number',
    share: 'float',
    note: 'text',
  }));
  const save = async (sent: object): Promise<object> => {
    await t.admin.post('/settings/referral-config').send({ referral_config: sent }).expect(200);
    return (await t.admin.get('/settings/referral-config').expect(200)).body.config;
  };
  expect(await save({ tier: 'b', most: '7.9', share: '1.5', note: 12 })).toMatchObject({
    tier: 'b',
    most: 7,
    share: 1.5,
    note: '12',
  });
  expect(await save({ tier: 'z', most: 'many' })).toMatchObject({ tier: 'a', most: 0, share: 1.5 });

  hooks.addFilter('get_referral_config', (all) => ({ ...all, note: 'read' }));
  expect(await save({})).toMatchObject({ note: 'read' });
});

it('links: the choices for the parameter are those that can be saved', async () => {
  const t = await startApp();
  const save = (): ReturnType<typeof t.admin.post> =>
    t.admin.post('/settings/referral-config').send({ referral_config: { referral_format: 'hash_id' } });
  t.service.hooks.addFilter('referral_formats', (all) => all.filter(({ value }) => value === 'id'));
  await save().expect(422);
});

it('mails: the address of a screen', async () => {
  const t = await startApp();
  t.service.hooks.addFilter('screen_url', (_url, pages, path) => `https://crm.test/${pages}${path}`);
  expect(await t.app.settings.consoleUrl('/affiliates/3')).toBe('https://crm.test/console/affiliates/3');
});

it('sharing: platforms, and those that are on before anything was saved', async () => {
  const t = await startApp();
  t.service.hooks.addFilter('social_media_links', (all) => ({
    ...all,
    mastodon: { title: 'Mastodon', icon_svg: '', share_url: 'https://m.test/?u={url}' },
  }));
  t.service.hooks.addFilter('social_media_share_default_enabled_keys', () => ['mastodon']);
  const { body } = await t.admin.get('/settings/features/social_media_share').expect(200);
  const on = (body.settings as { key: string; enabled: string }[]).filter(({ enabled }) => enabled === 'yes');
  expect(on).toMatchObject([{ key: 'mastodon' }]);
});

it('customers: their picture, and two that are the same person', async () => {
  const t = await startApp();
  const alice = await t.records.affiliate({ user_id: 2 });
  const order = async (reference: string, email: string): Promise<number> => {
    const given = { provider: 'shop', reference, affiliate: alice.id, order: { subtotal: '10.00' } };
    const { referral } = await t.service.conversions.record(null, { ...given, customer: { email } });
    return Number(referral?.customer_id);
  };
  const [into, from] = [await order('1', 'jo@buyer.test'), await order('2', 'jo@home.test')];
  t.service.hooks.addFilter('affiliate_avatar', (_url, email) => `https://pictures.test/${email}`);
  const { body } = await t.admin.get(`/customers/${into}`).expect(200);
  expect(body.customer.photo).toBe('https://pictures.test/jo@buyer.test');

  const merged: unknown[] = [];
  t.service.hooks.addAction('customer_merged', (customer, id) => void merged.push([customer.id, id]));
  await t.service.customers.merge(from, into);
  expect(merged).toEqual([[into, from]]);
});

it('money: the currency of the program has changed', async () => {
  const t = await startApp();
  const heard: unknown[] = [];
  t.service.hooks.addAction(
    'currency_changed',
    (currency, previous) => void heard.push([currency, previous]),
  );
  await t.admin
    .post('/settings/referral-config')
    .send({ referral_config: { currency: 'EUR' } })
    .expect(200);
  expect(heard).toEqual([['EUR', 'USD']]);
});

it('commissions: an affiliate is deleted with more of them than are passed one by one', async () => {
  const t = await startApp();
  const alice = await t.records.affiliate({ user_id: 2 });
  const heard: unknown[] = [];
  t.service.hooks.addAction('referral/deleted', (id) => void heard.push(id));
  t.service.hooks.addAction('referrals_bulk_deleted', (id, count) => void heard.push([id, count]));
  for (let n = 0; n < 101; n += 1) await t.records.referral({ affiliate_id: alice.id });
  await t.admin.delete(`/affiliates/${alice.id}`).expect(200);
  expect(heard).toEqual([[alice.id, 101]]);
});

it('integrations: their configuration, and the products to choose from', async () => {
  const t = await startApp({ providers: [shopProvider('woo')] });
  t.service.hooks.addFilter('get_integration_config_woo' as 'get_integration_config_{slug}', (all) => ({
    ...all,
    config: { more: 'yes' },
  }));
  const { body } = await t.admin.get('/settings/integration/config?integration=woo').expect(200);
  expect(body.config).toEqual({ more: 'yes' });
  t.service.hooks.addFilter('get_product_cat_options_woo' as 'get_product_cat_options_{slug}', () => [
    { id: '7', label: 'Seven', name: 'Seven' },
  ]);
  const path = '/settings/integration/product_cat_options?integration=woo&object_type=product';
  expect((await t.admin.get(path).expect(200)).body.options).toMatchObject([{ id: '7', label: 'Seven' }]);
});

it('imports: the statistics, and how long a poll works', async () => {
  const affiliates = [{ id: '1', user: { email: 'alice@shop.test' }, status: 'active' }];
  const t = await startApp({ migrators: [memorySource({ affiliates })] });
  t.service.hooks.addFilter('get_migration_statistics', (all, slug) => ({
    ...all,
    affiliates: { total: slug.length, migrated: 0 },
  }));
  const { body } = await t.admin.get('/settings/migrations/statistics').expect(200);
  expect(body.statistics.affiliates).toEqual({ total: 'affiliate_wp'.length, migrated: 0 });

  const asked: number[] = [];
  t.service.hooks.addFilter('max_execution_time', (seconds) => {
    asked.push(seconds);
    return 0;
  });
  await t.admin.post('/settings/migrations/start').send({}).expect(200);
  await t.admin.get('/settings/migrations/status').expect(200);
  expect(asked).toEqual([2]);
});

it('are all called by a test', () => {
  const hooks = [...readText('hooks/README.md').matchAll(/^\| `([^`]+)`<br>`([^`]+)` \|/gm)];
  const tests = sources(['test'])
    .filter(({ path }) => !/^test\/hooks(?:-types)?\.test/.test(path)) // the registry, not what a hook does
    .map(({ text }) => text)
    .join('\n');
  const isTried = (name = ''): boolean =>
    new RegExp(name.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/, '[^\\s\'"`]+')).test(tests);
  expect(hooks.length).toBeGreaterThan(100);
  expect(hooks.filter(([, name, older]) => !isTried(name) && !isTried(older))).toEqual([]);
});
