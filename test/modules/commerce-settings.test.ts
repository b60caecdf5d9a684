import { describe, expect, it } from '@jest/globals';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp } from '../support/app.js';

const shop = (more: Partial<CommerceProvider> = {}): CommerceProvider => ({
  key: 'woo',
  info: { title: 'WooCommerce', description: 'A shop', type: 'commerce' },
  abilities: new Set(['coupons', 'renewals', 'upgrades', 'products', 'categories']),
  catalog: {
    search: async ({ kind, text, ids, limit }) => {
      const all = Array.from({ length: 80 }, (_, at) => ({
        id: `${at + 1}`,
        label: `${kind} <b>${at + 1}</b>`,
      }));
      return [
        ...all.filter(({ label }) => label.includes(text)).slice(0, limit),
        ...all.filter(({ id }) => ids.includes(id)),
      ].filter((each, at, list) => list.findIndex(({ id }) => id === each.id) === at);
    },
    categoriesOf: async () => new Map(),
  },
  ...more,
});
const RATES = [
  { object_type: 'product', object_ids: [5, '7'], rate: '10', rate_type: 'percentage' },
  { object_type: 'category', object_ids: ['cat_a'], rate: 2.5, rate_type: 'fixed' },
];

describe('settings of integrations', () => {
  it('lists registered providers, switched off at first', async () => {
    const t = await startApp({ providers: [shop()] });
    const { body } = await t.admin.get('/settings/integrations').expect(200);
    expect(body.integrations.woo).toMatchObject({
      integration: 'woo',
      title: 'WooCommerce',
      type: 'commerce',
      logo: '',
      is_unavailable: false,
    });
    expect(body.integrations.woo.config).toMatchObject({
      is_enabled: 'no',
      disable_on_upgrades: 'yes',
      custom_affiliate_rates: [],
    });
  });

  it('has the fields of its features', async () => {
    const t = await startApp({ providers: [shop()] });
    const { body } = await t.admin.get('/settings/integration/config?integration=woo').expect(200);
    expect(Object.keys(body.fields)).toEqual([
      'custom_rate_component',
      'affiliate_on_discount_product',
      'disable_on_upgrades',
      'enable_subscription_renewal',
      'renewal_custom_rate_component',
    ]);
    expect(body.fields.custom_rate_component).toMatchObject({
      type: 'custom_rate_component',
      has_products: true,
      has_categories: true,
      rate_key: 'custom_affiliate_rate',
      rates_key: 'custom_affiliate_rates',
    });
    expect(body).toMatchObject({ integration_key: 'woo', info: { title: 'WooCommerce' } });
  });

  it('saves posted over stored, computes watched ids and lists what is enabled', async () => {
    const t = await startApp({ providers: [shop(), shop({ key: 'other' })] });
    const save = (config: object): Promise<unknown> =>
      t.admin.post('/settings/integration/config').send({ integration: 'woo', config }).expect(200);
    await save({
      is_enabled: 'yes',
      custom_affiliate_rate: 'yes',
      custom_affiliate_rates: RATES,
      watched_product_ids: [99],
      unknown: 'x',
    });
    await save({ disable_on_upgrades: 'no' });
    const { body } = await t.admin.get('/settings/integration/config?integration=woo').expect(200);
    expect(body.config).toMatchObject({
      is_enabled: 'yes',
      disable_on_upgrades: 'no',
      watched_product_ids: [5, 7],
      watched_cat_ids: ['cat_a'],
      custom_affiliate_rates: [
        { object_type: 'product', object_ids: ['5', '7'], rate: 10, rate_type: 'percentage' },
        { object_type: 'category', object_ids: ['cat_a'], rate: 2.5, rate_type: 'fixed' },
      ],
    });
    expect(body.config.unknown).toBeUndefined();
    expect((await t.admin.get('/settings/referral-config')).body.config.enabled_integrations).toEqual([
      'woo',
    ]);
    await save({ custom_affiliate_rate: 'no' });
    expect((await t.admin.get('/settings/integration/config?integration=woo')).body.config).toMatchObject({
      watched_product_ids: [],
      watched_cat_ids: [],
    });
  });

  it('switches on and off, keeping the rules', async () => {
    const t = await startApp({ providers: [shop()] });
    await t.admin
      .post('/settings/integration/config')
      .send({ integration: 'woo', config: { custom_affiliate_rate: 'yes', custom_affiliate_rates: RATES } })
      .expect(200);
    const on = await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'woo', is_enabled: true })
      .expect(200);
    expect(on.body).toMatchObject({
      status: 'yes',
      config: { is_enabled: 'yes', custom_affiliate_rate: 'yes' },
    });
    const off = await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'woo', is_enabled: 'no' })
      .expect(200);
    expect(off.body).toMatchObject({ status: 'no', config: { is_enabled: 'no' } });
    expect(off.body.config.custom_affiliate_rates).toHaveLength(2);
    expect((await t.admin.get('/settings/referral-config')).body.config.enabled_integrations).toEqual([]);
  });

  it('is switched on by the program settings, which never switch others off', async () => {
    const t = await startApp({ providers: [shop(), shop({ key: 'other' })] });
    await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { enabled_integrations: ['woo', 'nothing'] } })
      .expect(200);
    await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { enabled_integrations: ['other'] } })
      .expect(200);
    const { body } = await t.admin.get('/settings/integrations').expect(200);
    expect([body.integrations.woo.config.is_enabled, body.integrations.other.config.is_enabled]).toEqual([
      'yes',
      'yes',
    ]);
  });

  it.each([
    ['get', '/settings/integration/config?integration=none', undefined, 404, 'integration_not_found'],
    [
      'post',
      '/settings/integration/config',
      { integration: 'none', config: {} },
      422,
      'integration_save_failed',
    ],
    [
      'post',
      '/settings/integration/update-status',
      { integration: 'none', is_enabled: 'yes' },
      422,
      'integration_unavailable',
    ],
    [
      'post',
      '/settings/integration/config',
      {
        integration: 'woo',
        config: { custom_affiliate_rates: [{ object_type: 'product', object_ids: [1], rate: 101 }] },
      },
      422,
      'validation_failed',
    ],
    [
      'post',
      '/settings/integration/config',
      {
        integration: 'woo',
        config: { custom_affiliate_rates: [{ object_type: 'thing', object_ids: [1], rate: 'x' }] },
      },
      422,
      'validation_failed',
    ],
  ] as const)('refuses %s %s', async (verb, path, body, status, code) => {
    const t = await startApp({ providers: [shop()] });
    const answer = await t.admin[verb](path).send(body).expect(status);
    expect(answer.body.code).toBe(code);
  });

  it('offers at most 50 products and the chosen ones that are missing', async () => {
    const t = await startApp({ providers: [shop()] });
    const { body } = await t.admin
      .get('/settings/integration/product_cat_options?integration=woo&object_type=product&include_ids[]=77')
      .expect(200);
    expect(body.options).toHaveLength(51);
    expect(body.options[0]).toEqual({ id: 1, label: 'product 1', name: 'product 1' });
    expect(body.options[50]).toMatchObject({ id: 77 });
    const none = await t.admin.get('/settings/integration/product_cat_options?integration=none').expect(200);
    expect(none.body).toEqual({ options: [] });
  });

  it('lets hooks add an integration, and how it is saved', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('get_integrations', (map) => ({
      ...map,
      edd: { integration: 'edd', title: 'EDD', is_unavailable: true },
    }));
    t.service.hooks.addFilter('save_integration_config_edd' as never, () => 'Stored');
    expect(
      (await t.admin.get('/settings/integration/config?integration=edd').expect(200)).body.info.title,
    ).toBe('EDD');
    expect(
      (
        await t.admin
          .post('/settings/integration/config')
          .send({ integration: 'edd', config: { a: 1 } })
          .expect(200)
      ).body,
    ).toEqual({ message: 'Stored' });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'edd', is_enabled: 'yes' })
      .expect(422);
  });

  it('refuses a key twice and a key of another form', async () => {
    const t = await startApp({ providers: [shop()] });
    expect(() => t.service.commerce.register(shop())).toThrow(/registered already/);
    expect(() => t.service.commerce.register(shop({ key: 'Woo!' }))).toThrow(/has to match/);
  });
});
