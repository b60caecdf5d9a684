import { afterEach, describe, expect, it } from '@jest/globals';
import { shopify, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import { invoice, session, shopifyOrder, stripeEvent, wooOrder } from '../support/shop-payloads.js';
import { deliveriesOf } from '../support/lists.js';
import { post, VENDORS } from '../support/vendors.js';
import { shopifyVendor, stripeVendor, wooVendor, type VendorApi } from '../support/vendor-api.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const opened: VendorApi[] = [];
afterEach(() => {
  for (const api of opened.splice(0)) api.close();
});
const started = async (api: VendorApi): Promise<VendorApi> => {
  opened.push(api);
  return api.start();
};

interface Swept extends TestApp {
  readonly token: string;
  readonly affiliateId: number;
  /** The job, as a host's scheduler runs it. */
  sweep(): Promise<void>;
  /** Status, commission and order of each referral. */
  referrals(): Promise<unknown[]>;
}
async function start(provider: CommerceProvider, options: TestOptions = {}): Promise<Swept> {
  const t = await startApp({
    providers: [provider, ...(options.providers ?? [])],
    ...(options.providers ? {} : options),
  });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  for (const { key } of t.app.options.providers)
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: key, is_enabled: 'yes' })
      .expect(200);
  return {
    ...t,
    affiliateId: affiliate.id,
    token: await tokenOf(t, affiliate.id),
    sweep: async () => {
      await t.service.jobs.runDue();
    },
    referrals: async () => {
      const rows = (await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=200').expect(200)).body
        .referrals.data as Record<string, unknown>[];
      return rows.map((row) => [row['status'], row['amount'], row['provider_id']]);
    },
  };
}
const seconds = (t: TestApp): number => Math.floor(t.clock.time / 1000);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

const stripeShop = async (more: object = {}): Promise<{ api: VendorApi; provider: CommerceProvider }> => {
  const api = await started(stripeVendor());
  return {
    api,
    provider: stripe({
      secrets: ['whsec_x_test'],
      mode: 'live',
      api: { key: 'rk_1', fetch: api.fetch, ...more },
    }),
  };
};
const cart = (t: Swept, n: number, more: object = {}): object =>
  session({
    id: `cs_${n}`,
    payment_intent: `pi_${n}`,
    created: seconds(t),
    client_reference_id: t.token,
    discounts: [],
    ...more,
  });
const missed = (
  t: TestApp,
  n: number,
  type: string,
  object: object,
  more: object = {},
): Record<string, unknown> =>
  stripeEvent(type, object, { id: `evt_${n}`, created: seconds(t), ...more }) as Record<string, unknown>;

const wooShop = async (
  stores = ['https://woo.test'],
  more: object = {},
): Promise<{ api: VendorApi; provider: CommerceProvider }> => {
  const api = await started(wooVendor());
  return {
    api,
    provider: woo({
      secrets: ['a-secret'],
      stores,
      api: { fetch: api.fetch, keyOf: () => ({ key: 'ck', secret: 'cs' }), ...more },
    }),
  };
};
const ORDERS = '/wp-json/wc/v3/orders';
const wooRow = (t: Swept, id: number, more: object = {}): Record<string, unknown> =>
  wooOrder({
    id,
    number: String(id),
    transaction_id: `t${id}`,
    coupon_lines: [],
    date_created_gmt: iso(t.clock.time),
    date_modified_gmt: iso(t.clock.time),
    date_paid_gmt: iso(t.clock.time),
    meta_data: [{ key: 'fa_ref', value: t.token }],
    ...more,
  }) as Record<string, unknown>;

const SHOP = 'demo.myshopify.com';
const SHOPIFY = '/admin/api/2025-10/orders.json';
const shopifyShop = async (): Promise<{ api: VendorApi; provider: CommerceProvider }> => {
  const api = await started(shopifyVendor());
  return {
    api,
    provider: shopify({
      secrets: ['hush-hush'],
      api: { shops: [SHOP], tokenOf: () => 'shpat_1', fetch: api.fetch },
    }),
  };
};
const LONG = '82098291194615';
const shopifyRow = (t: Swept, n: number, more: object = {}): Record<string, unknown> =>
  shopifyOrder({
    id: `#${LONG}${n}`,
    admin_graphql_api_id: `gid://shopify/Order/${LONG}${n}`,
    checkout_token: `c${n}`,
    cart_token: `k${n}`,
    confirmation_number: `x${n}`,
    discount_codes: [],
    note_attributes: [{ name: 'fa_ref', value: t.token }],
    created_at: `${iso(t.clock.time)}Z`,
    updated_at: `${iso(t.clock.time)}Z`,
    refunds: [],
    ...more,
  }) as Record<string, unknown>;
const usd = (amount: string): object => ({ shop_money: { amount, currency_code: 'USD' } });

describe('the check after a restore', () => {
  it('asks each shop at once, for what changed since its last complete search', async () => {
    const { api, provider } = await stripeShop();
    const t = await start(provider);
    await t.sweep();
    api.lists.set('/v1/events', [missed(t, 1, 'checkout.session.completed', cart(t, 1))]);
    t.clock.advance(HOUR);
    await t.sweep();
    expect(await t.referrals()).toEqual([]);
    await t.app.system.afterRestore('send');
    await t.sweep();
    expect(await t.referrals()).toEqual([['unpaid', 18, 'pi_1']]);
  });
});

describe('the daily check of Stripe', () => {
  it('finds the sale, the refund and the account whose deliveries never came, page by page', async () => {
    const { api, provider } = await stripeShop({ accounts: ['acct_1'] });
    api.pageMax = 2;
    const t = await start(provider);
    api.lists.set('/v1/events', [
      missed(t, 5, 'refund.created', {
        id: 're_1',
        payment_intent: 'pi_1',
        amount: 5700,
        currency: 'usd',
        status: 'succeeded',
      }),
      missed(t, 4, 'customer.created', { id: 'cus_1' }),
      missed(t, 3, 'checkout.session.completed', { ...cart(t, 3), currency: 'nothing' }),
      missed(t, 2, 'checkout.session.completed', cart(t, 2, { client_reference_id: null })),
      missed(t, 1, 'checkout.session.completed', cart(t, 1)),
      missed(t, 0, 'checkout.session.completed', cart(t, 0), { created: seconds(t) - 3 * 86_400 }),
    ]);
    api.lists.set('acct_1/v1/events', [missed(t, 9, 'checkout.session.completed', cart(t, 9))]);
    await t.sweep();
    expect(await t.referrals()).toEqual([
      ['unpaid', 9, 'pi_1'],
      ['unpaid', 18, 'pi_9'],
    ]);
    const pages = api.asked.filter(({ path }) => path === '/v1/events');
    expect(
      pages.map(({ headers, query }) => [
        headers.authorization,
        headers['stripe-account'],
        query.get('starting_after'),
      ]),
    ).toEqual([
      ['Bearer rk_1', undefined, null],
      ['Bearer rk_1', undefined, 'evt_3'],
      ['Bearer rk_1', 'acct_1', null],
    ]);
    expect(pages[0]?.query.getAll('types[]')).toHaveLength(16);
    expect(t.log.find(({ message }) => message.includes('cannot be read'))?.fields).toMatchObject({
      provider: 'stripe',
      rows: 1,
    });
    // No screen shows the account of an order.
    expect(
      (await t.app.db('orders').select('account').orderBy('id')).map(
        ({ account }: { account: string }) => account,
      ),
    ).toEqual(['', 'acct_1']);
  });

  it('skips events that were delivered', async () => {
    const { api, provider } = await stripeShop();
    const t = await start(provider);
    const vendor = VENDORS[0]!;
    const message = vendor.message('paid', { n: 1, token: t.token }, { at: t.clock.time, id: '1' });
    expect(await post(t, 'stripe', message)).toBe(200);
    const before = api.asked.length;
    api.lists.set('/v1/events', [JSON.parse(message.body)]);
    await t.sweep();
    expect(api.asked.slice(before).map(({ path }) => path)).toEqual(['/v1/events']);
    expect(await deliveriesOf(t)).toHaveLength(1);
    expect(await t.referrals()).toEqual([['unpaid', 18, 'pi_1']]);
  });

  it('continues after the wait that the shop asked for, not earlier', async () => {
    const { api, provider } = await stripeShop();
    api.pageMax = 1;
    const t = await start(provider);
    api.lists.set('/v1/events', [
      missed(t, 2, 'checkout.session.completed', cart(t, 2)),
      missed(t, 1, 'checkout.session.completed', cart(t, 1)),
    ]);
    const pages = (): (string | null)[] =>
      api.asked.filter(({ path }) => path === '/v1/events').map(({ query }) => query.get('starting_after'));
    api.interfere = ({ query }) =>
      query.has('starting_after') ? { status: 429, headers: { 'Retry-After': '7200' } } : null;
    await t.sweep();
    expect([await t.referrals(), pages()]).toEqual([[['unpaid', 18, 'pi_2']], [null, 'evt_2']]);
    t.clock.advance(HOUR);
    await t.sweep();
    expect(pages()).toHaveLength(2);
    t.clock.advance(HOUR);
    api.interfere = () => null;
    await t.sweep();
    expect([await t.referrals(), pages()]).toEqual([
      [
        ['unpaid', 18, 'pi_2'],
        ['unpaid', 18, 'pi_1'],
      ],
      [null, 'evt_2', 'evt_2'],
    ]);
    await t.sweep();
    expect(pages()).toHaveLength(3);
    t.clock.advance(DAY);
    await t.sweep();
    expect(pages()).toHaveLength(5);
  });

  it('requests smaller pages when a response would be too long', async () => {
    const { api, provider } = await stripeShop();
    const t = await start(provider);
    api.lists.set('/v1/events', [missed(t, 1, 'checkout.session.completed', cart(t, 1))]);
    api.interfere = ({ query }) =>
      Number(query.get('limit')) > 5 && query.has('created[gte]')
        ? { body: { data: 'x'.repeat(1024 * 1024) } }
        : null;
    await t.sweep();
    expect(await t.referrals()).toEqual([['unpaid', 18, 'pi_1']]);
    expect(
      api.asked.filter(({ path }) => path === '/v1/events').map(({ query }) => query.get('limit')),
    ).toEqual(['50', '10', '2']);
  });

  it('goes back to the last complete check', async () => {
    const { api, provider } = await stripeShop();
    const t = await start(provider);
    api.lists.set('/v1/events', []);
    await t.sweep();
    const first = seconds(t);
    t.clock.advance(9 * DAY);
    await t.sweep();
    expect(api.asked.map(({ query }) => Number(query.get('created[gte]')))).toEqual([
      first - 2 * 86_400,
      first,
    ]);
  });

  it('does not delay another shop', async () => {
    const { api, provider } = await stripeShop();
    const other = await wooShop();
    const t = await start(provider, { providers: [other.provider] });
    api.interfere = () => ({ status: 500 });
    other.api.lists.set(ORDERS, [wooRow(t, 727)]);
    await t.sweep();
    expect(await t.referrals()).toEqual([['unpaid', 18, 727]]);
    expect(
      t.log.some(
        ({ message, fields }) =>
          message === 'the changes of a shop could not be fetched' && fields?.['provider'] === 'stripe',
      ),
    ).toBe(true);
  });
});

describe('the daily check of WooCommerce', () => {
  it('finds orders, refunds and subscriptions of every shop', async () => {
    const { api, provider } = await wooShop(['https://woo.test', 'https://two.test/shop'], {
      subscriptions: true,
    });
    const t = await start(provider);
    const nobody = Array.from({ length: 25 }, (_, at) => wooRow(t, at + 1, { meta_data: [] }));
    api.lists.set(`woo.test${ORDERS}`, [
      ...nobody,
      wooRow(t, 727),
      wooRow(t, 728, { refunds: [{ id: 9, total: '-57.00' }] }),
      wooRow(t, 700, { date_modified_gmt: '2026-01-10T00:00:00' }),
    ]);
    api.lists.set(`two.test/shop${ORDERS}`, [wooRow(t, 727, { status: 'pending', date_paid_gmt: null })]);
    api.lists.set('woo.test/wp-json/wc/v3/subscriptions', [
      { id: 50, parent_id: 727, date_modified_gmt: iso(t.clock.time) },
    ]);
    api.lists.set('two.test/shop/wp-json/wc/v3/subscriptions', []);
    api.lists.set('/wp-json/wc/v3/orders/728/refunds', []);
    await t.sweep();
    expect(await t.referrals()).toEqual([
      ['unpaid', 18, 727],
      ['unpaid', 9, 728],
      ['pending', 18, 727],
    ]);
    // Nor the shop of a subscription.
    expect(await t.app.db('order_refs').where({ ref: 'subscription:50' }).select('account')).toEqual([
      { account: 'https://woo.test' },
    ]);
    const pages = api.asked.filter(({ query }) => query.has('modified_after'));
    expect(pages.map(({ host, path, query }) => [host, path.split('/').at(-1), query.get('offset')])).toEqual(
      [
        ['woo.test', 'orders', '0'],
        ['woo.test', 'orders', '25'],
        ['woo.test', 'subscriptions', '0'],
        ['two.test', 'orders', '0'],
        ['two.test', 'subscriptions', '0'],
      ],
    );
    expect(pages[0]?.query.get('modified_after')).toBe('2026-01-13T15:00:00');
  });
});

describe('the daily check of Shopify', () => {
  it('finds orders with ids longer than a number, and their refunds', async () => {
    const { api, provider } = await shopifyShop();
    api.pageMax = 1;
    const t = await start(provider);
    const refund = {
      id: 5,
      order_id: `#${LONG}2222`,
      created_at: `${iso(t.clock.time)}Z`,
      transactions: [{ kind: 'refund', status: 'success', amount_set: usd('57.00') }],
    };
    api.lists.set(SHOPIFY, [
      shopifyRow(t, 1111),
      shopifyRow(t, 2222, { financial_status: 'partially_refunded', refunds: [refund] }),
      shopifyRow(t, 3333, { financial_status: 'pending' }),
      shopifyRow(t, 4444, { updated_at: '2026-01-10T00:00:00Z' }),
    ]);
    await t.sweep();
    expect(await t.referrals()).toEqual([
      ['unpaid', 18, `${LONG}1111`],
      ['unpaid', 9, `${LONG}2222`],
      ['pending', 18, `${LONG}3333`],
    ]);
    const pages = api.asked.filter(({ path }) => path === SHOPIFY);
    expect(
      pages.map(({ host, headers, query }) => [
        host,
        headers['x-shopify-access-token'],
        query.get('updated_at_min'),
        query.has('page_info'),
      ]),
    ).toEqual([
      [SHOP, 'shpat_1', '2026-01-13T15:00:00.000Z', false],
      [SHOP, 'shpat_1', null, true],
      [SHOP, 'shpat_1', null, true],
    ]);
  });

  it('waits the part of a second the vendor asks for', async () => {
    const { api, provider } = await shopifyShop();
    const t = await start(provider);
    api.interfere = () => ({ status: 429, headers: { 'Retry-After': '900.5' } });
    await t.sweep();
    t.clock.advance(900_000);
    await t.sweep();
    expect(api.asked).toHaveLength(1);
    t.clock.advance(1000);
    await t.sweep();
    expect(api.asked).toHaveLength(2);
  });
});

describe('one order without deliveries', () => {
  const outcome = (t: Swept, key: string, id: string): Promise<unknown> =>
    t.service.commerce.reconcile(key, { account: key === 'shopify' ? SHOP : '', id });

  it('is asked of Stripe by invoice, session or payment', async () => {
    const { api, provider } = await stripeShop();
    const t = await start(provider);
    api.objects.set(
      '/v1/invoices/in_1',
      invoice({ status: 'paid', created: seconds(t), metadata: { fa_ref: t.token } }),
    );
    api.objects.set('/v1/checkout/sessions/cs_2', cart(t, 2));
    api.objects.set('/v1/checkout/sessions?pi_3', { data: [cart(t, 3, { payment_status: 'unpaid' })] });
    expect(await outcome(t, 'stripe', 'in_1')).toMatchObject({ result: 'recorded' });
    expect(await outcome(t, 'stripe', 'cs_2')).toMatchObject({ result: 'recorded' });
    expect(await outcome(t, 'stripe', 'pi_3')).toMatchObject({ result: 'recorded' });
    expect(await outcome(t, 'stripe', 'pi_4')).toEqual({ result: 'ignored', reason: 'order_unknown' });
    expect(await t.referrals()).toEqual([
      ['unpaid', 18, 'in_1'],
      ['unpaid', 18, 'pi_2'],
      ['pending', 18, 'pi_3'],
    ]);
  });

  it('is asked of WooCommerce', async () => {
    const { api, provider } = await wooShop();
    const t = await start(provider);
    api.objects.set(`${ORDERS}/727`, wooRow(t, 727, { refunds: [{ id: 9, total: '-57.00' }] }));
    api.objects.set(`${ORDERS}/728`, wooRow(t, 728, { status: 'cancelled' }));
    api.lists.set(`${ORDERS}/727/refunds`, []);
    api.objects.set(`${ORDERS}/730`, wooRow(t, 730, { status: 'on-hold', date_paid_gmt: null }));
    for (const id of ['727', '728', '729', '730']) await outcome(t, 'woo', id);
    expect(await t.referrals()).toEqual([
      ['unpaid', 9, 727],
      ['pending', 18, 730],
    ]);
  });

  it('that earned nothing returns the reason, however often it is fetched', async () => {
    const { api, provider } = await wooShop();
    const t = await start(provider);
    api.objects.set(`${ORDERS}/740`, wooRow(t, 740, { meta_data: [] }));
    api.objects.set(`${ORDERS}/741`, wooRow(t, 741));
    t.service.hooks.addFilter('should_process_referral', () => false);
    for (let time = 0; time < 3; time++) {
      expect(await outcome(t, 'woo', '740')).toMatchObject({ result: 'ignored', reason: 'no_affiliate' });
      expect(await outcome(t, 'woo', '741')).toMatchObject({ result: 'ignored', reason: 'refused' });
    }
  });

  it('is asked of Shopify, and of no other shop than ours', async () => {
    const { api, provider } = await shopifyShop();
    const t = await start(provider);
    const refund = {
      id: 5,
      created_at: `${iso(t.clock.time)}Z`,
      transactions: [{ kind: 'refund', status: 'success', amount_set: usd('57.00') }],
    };
    api.objects.set(`/admin/api/2025-10/orders/${LONG}1111.json`, {
      ...shopifyRow(t, 1111, { refunds: [refund] }),
      id: `${LONG}1111`,
    });
    expect(await outcome(t, 'shopify', `${LONG}1111`)).toMatchObject({ result: 'recorded' });
    expect(await t.referrals()).toEqual([['unpaid', 9, `${LONG}1111`]]);
    expect(await t.service.commerce.reconcile('shopify', { account: 'evil.test', id: '1' })).toMatchObject({
      reason: 'order_unknown',
    });
    expect(api.asked.every(({ host }) => host === SHOP)).toBe(true);
  });
});
