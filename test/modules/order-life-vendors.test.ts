import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { medusa, shopify, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { DAY } from '../../src/core/duration.js';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import { configure } from '../support/shop.js';
import {
  invoice,
  session,
  shopifyHeaders,
  stripeEvent,
  wooHeaders,
  wooOrder,
} from '../support/shop-payloads.js';

// What happens to an order at each vendor, in the vendor's own form: edited, paid in part, paid back in parts
// (docs/integrations.md §13). The rate is 10 %.

const secret = 'hush-hush';
const hmac = (text: string, encoding: 'hex' | 'base64' = 'base64'): string =>
  createHmac('sha256', secret).update(text).digest(encoding);
const iso = (at: number): string => new Date(at).toISOString();

interface Vendor {
  readonly t: TestApp;
  readonly token: string;
  readonly send: (topic: string, body: object) => Promise<void>;
  readonly rows: () => Promise<unknown[]>;
  /** Remarks for a person, such as a total that does not fit. */
  readonly flags: () => Promise<unknown>;
}

async function start(provider: CommerceProvider, config: object = {}): Promise<Vendor> {
  const t = await startApp({ rate: 10, providers: [provider] });
  const affiliate = await t.records.affiliate({ user_id: 2, status: 'active' });
  if (Object.keys(config).length > 0)
    await t.admin
      .post('/settings/integration/config')
      .send({ integration: provider.key, config: { is_enabled: 'yes', ...config } })
      .expect(200);
  let count = 0;
  const headersOf: Readonly<Record<string, (topic: string, body: string) => object>> = {
    shopify: (topic, body) => ({
      ...shopifyHeaders(topic),
      'X-Shopify-Webhook-Id': `wh_${++count}`,
      'X-Shopify-Triggered-At': iso(t.clock.time),
      'X-Shopify-Hmac-Sha256': hmac(body),
    }),
    woo: (topic, body) => ({ ...wooHeaders(topic), 'X-WC-Webhook-Signature': hmac(body) }),
    stripe: (_, body) => {
      const seconds = Math.floor(t.clock.time / 1000);
      return { 'Stripe-Signature': `t=${seconds},v1=${hmac(`${seconds}.${body}`, 'hex')}` };
    },
  };
  const referrals = async (): Promise<Record<string, unknown>[]> =>
    (await t.admin.get('/referrals?order_by=id&order_type=ASC').expect(200)).body.referrals.data;
  return {
    t,
    token: await tokenOf(t, Number(affiliate.id)),
    send: async (topic, object) => {
      t.clock.advance(2000);
      const created = Math.floor(t.clock.time / 1000);
      const body = JSON.stringify(
        provider.key === 'stripe' ? stripeEvent(topic, object, { id: `evt_${++count}`, created }) : object,
      );
      await request(t.server)
        .post(`${t.service.basePath}/webhooks/${provider.key}`)
        .set({ 'Content-Type': 'application/json', ...headersOf[provider.key]?.(topic, body) })
        .send(body)
        .expect(200);
    },
    rows: async () => (await referrals()).map((row) => [row['status'], row['amount']]),
    flags: async () => {
      const id = Number((await referrals())[0]?.['id']);
      const { referral } = (await t.admin.get(`/referrals/${id}`).expect(200)).body;
      return referral.settings?.flags ?? [];
    },
  };
}

const usd = (amount: string): object => ({
  shop_money: { amount, currency_code: 'USD' },
  presentment_money: { amount, currency_code: 'USD' },
});

/** Two mugs at 50.00 and shipping of 5.00: 105.00, of which the goods earn 10.00. */
const shopifyCart =
  (t: Vendor) =>
  (more: object = {}): object => ({
    id: 4501,
    admin_graphql_api_id: 'gid://shopify/Order/4501',
    name: '#1001',
    currency: 'USD',
    taxes_included: false,
    financial_status: 'paid',
    created_at: iso(t.t.clock.time),
    processed_at: iso(t.t.clock.time),
    updated_at: iso(t.t.clock.time),
    cancelled_at: null,
    source_name: 'web',
    user_id: null,
    test: false,
    email: 'jo@buyer.test',
    customer: { id: 7 },
    note_attributes: [{ name: 'fa_ref', value: t.token }],
    total_price_set: usd('105.00'),
    current_total_price_set: usd('105.00'),
    total_tip_received: '0.00',
    discount_codes: [],
    line_items: [mugs()],
    shipping_lines: [
      { id: 61, price_set: usd('5.00'), discounted_price_set: usd('5.00'), is_removed: false, tax_lines: [] },
    ],
    refunds: [],
    ...more,
  });
const mugs = (more: object = {}): object => ({
  id: 51,
  product_id: 500,
  variant_id: 5000,
  title: 'Mug',
  quantity: 2,
  current_quantity: 2,
  price_set: usd('50.00'),
  gift_card: false,
  discount_allocations: [],
  tax_lines: [],
  ...more,
});
const shopifyBack = (status: string, more: object = {}): object => ({
  id: 901,
  order_id: 4501,
  refund_line_items: [
    { id: 1, line_item_id: 51, quantity: 1, subtotal_set: usd('50.00'), total_tax_set: usd('0.00') },
  ],
  order_adjustments: [],
  transactions: [
    { id: 71, kind: 'refund', status, amount: '50.00', currency: 'USD', amount_set: usd('50.00') },
  ],
  ...more,
});
const paidBy = (amount: string): object[] => [
  { id: 71, kind: 'refund', status: 'success', amount, currency: 'USD', amount_set: usd(amount) },
];

describe('Shopify', () => {
  const begin = async (more: object = {}): Promise<Vendor & { cart: (more?: object) => object }> => {
    const one = await start(shopify({ secrets: [secret], enabled: true, ...more }));
    return { ...one, cart: shopifyCart(one) };
  };

  it('8: a pending refund is deducted at once, and given back when it fails', async () => {
    const { send, rows, cart } = await begin();
    await send('orders/paid', cart());
    await send('refunds/create', shopifyBack('pending'));
    expect(await rows()).toEqual([['unpaid', 5]]);
    await send('orders/updated', cart({ financial_status: 'paid', refunds: [shopifyBack('failure')] }));
    expect(await rows()).toEqual([['unpaid', 10]]);
  });

  it('8: a pending refund that succeeds is deducted once, also when another transaction continues it', async () => {
    const { send, rows, cart } = await begin();
    await send('orders/paid', cart());
    await send('refunds/create', shopifyBack('pending'));
    const [pending] = (shopifyBack('pending') as { transactions: object[] }).transactions;
    const done = { ...pending, id: 72, parent_id: 71, status: 'success' };
    const refund = shopifyBack('success', { transactions: [pending, done] });
    await send('orders/updated', cart({ financial_status: 'partially_refunded', refunds: [refund] }));
    expect(await rows()).toEqual([['unpaid', 5]]);
  });

  it('8: the shop learns of a refund by the order alone', async () => {
    const { send, rows, cart } = await begin();
    await send('orders/paid', cart());
    await send(
      'orders/updated',
      cart({ financial_status: 'partially_refunded', refunds: [shopifyBack('success')] }),
    );
    expect(await rows()).toEqual([['unpaid', 5]]);
    // A later order without refunds is one that was written before them.
    await send('orders/updated', cart({ name: '#1001 late', refunds: [] }));
    expect(await rows()).toEqual([['unpaid', 5]]);
  });

  it('8: a refund is read in the currency of the shop, also when its transactions do not have it', async () => {
    const { send, rows, cart } = await begin();
    const both = (shop: string, shown: string): object => ({
      shop_money: { amount: shop, currency_code: 'AUD' },
      presentment_money: { amount: shown, currency_code: 'USD' },
    });
    const total = {
      total_price_set: both('120.66', '91.70'),
      current_total_price_set: both('120.66', '91.70'),
    };
    const line = mugs({ price_set: both('60.33', '45.85') });
    await send('orders/paid', cart({ currency: 'AUD', ...total, line_items: [line], shipping_lines: [] }));
    expect(await rows()).toEqual([['unpaid', 12.07]]);
    await send(
      'refunds/create',
      shopifyBack('success', {
        refund_line_items: [
          {
            line_item_id: 51,
            quantity: 1,
            subtotal_set: both('60.33', '45.85'),
            total_tax_set: both('0.00', '0.00'),
          },
        ],
        transactions: [{ id: 71, kind: 'refund', status: 'success', amount: '45.85', currency: 'USD' }],
      }),
    );
    expect(await rows()).toEqual([['unpaid', 6.03]]);
  });

  it('8: the money of such a refund without lines is what the order says it is worth', async () => {
    const { send, rows, cart } = await begin();
    const both = {
      shop_money: { amount: '200.00', currency_code: 'AUD' },
      presentment_money: { amount: '100.00', currency_code: 'USD' },
    };
    const price = {
      shop_money: { amount: '100.00', currency_code: 'AUD' },
      presentment_money: { amount: '50.00', currency_code: 'USD' },
    };
    const order = {
      currency: 'AUD',
      total_price_set: both,
      current_total_price_set: both,
      line_items: [mugs({ price_set: price })],
      shipping_lines: [],
    };
    await send('orders/paid', cart(order));
    const refund = shopifyBack('success', {
      refund_line_items: [],
      transactions: [{ id: 71, kind: 'refund', status: 'success', amount: '25.00', currency: 'USD' }],
    });
    await send('orders/updated', cart({ ...order, refunds: [refund] }));
    expect(await rows()).toEqual([['unpaid', 15]]);
  });

  it.each([
    ['a line without a product', { title: 'Tip' }],
    [
      'a line that is marked',
      { title: 'Trinkgeld', price_set: usd('20.00'), tip: { payment_gateway: 'shopify_payments' } },
    ],
    ['no line at all', null],
  ])('8: a tip never earns: %s', async (_, line) => {
    const { send, rows, flags, cart } = await begin();
    const tip = {
      id: 52,
      product_id: null,
      variant_id: null,
      quantity: 1,
      current_quantity: 1,
      price_set: usd('20.00'),
      tax_lines: [],
      ...line,
    };
    const total = {
      total_price_set: usd('125.00'),
      current_total_price_set: usd('125.00'),
      total_tip_received: '20.00',
    };
    await send('orders/paid', cart({ ...total, line_items: line === null ? [mugs()] : [mugs(), tip] }));
    expect(await rows()).toEqual([['unpaid', 10]]);
    expect(await flags()).toEqual([]);
  });

  it('8: test orders earn in test mode only, which is not the default', async () => {
    for (const [mode, count] of [
      [{}, 0],
      [{ mode: 'test' }, 1],
    ] as const) {
      const { send, rows, cart } = await begin(mode);
      await send('orders/paid', cart({ test: true }));
      expect(await rows()).toHaveLength(count);
    }
  });

  it('1: an order edited before and after it is paid', async () => {
    const { send, rows, cart } = await begin();
    await send('orders/create', cart({ financial_status: 'pending' }));
    const extra = mugs({ id: 53, quantity: 1, current_quantity: 1, price_set: usd('40.00') });
    const edited = { line_items: [mugs(), extra], current_total_price_set: usd('145.00') };
    await send('orders/updated', cart({ ...edited, financial_status: 'pending' }));
    await send('orders/paid', cart({ ...edited, total_price_set: usd('145.00') }));
    expect(await rows()).toEqual([['unpaid', 14]]);
    const upsell = mugs({ id: 54, quantity: 1, current_quantity: 1, price_set: usd('10.00') });
    await send(
      'orders/paid',
      cart({
        line_items: [mugs(), extra, upsell],
        total_price_set: usd('155.00'),
        current_total_price_set: usd('155.00'),
      }),
    );
    expect(await rows()).toEqual([['unpaid', 15]]);
  });

  it('30: units that were removed before the payment earn nothing, although the payment is the first event', async () => {
    const { send, rows, flags, cart } = await begin();
    const removed = { ...shopifyBack('success'), transactions: [] };
    await send(
      'orders/paid',
      cart({
        line_items: [mugs({ current_quantity: 1 })],
        current_total_price_set: usd('55.00'),
        refunds: [removed],
      }),
    );
    expect(await rows()).toEqual([['unpaid', 5]]);
    expect(await flags()).toEqual([]);
  });

  it('30: units that were paid back count once, when the order is first heard of afterwards', async () => {
    const { send, rows, cart } = await begin();
    await send(
      'orders/updated',
      cart({
        financial_status: 'partially_refunded',
        line_items: [mugs({ current_quantity: 1 })],
        current_total_price_set: usd('55.00'),
        refunds: [shopifyBack('success')],
      }),
    );
    expect(await rows()).toEqual([['unpaid', 5]]);
    await send('refunds/create', shopifyBack('success'));
    expect(await rows()).toEqual([['unpaid', 5]]);
  });

  it('30: a refund of duties takes duties', async () => {
    const { send, rows, flags, cart } = await begin();
    const total = usd('125.00');
    await send(
      'orders/paid',
      cart({
        total_price_set: total,
        current_total_price_set: total,
        original_total_duties_set: usd('20.00'),
      }),
    );
    expect(await rows()).toEqual([['unpaid', 10]]);
    await send(
      'refunds/create',
      shopifyBack('success', {
        refund_line_items: [],
        duties: [{ duty_id: 5, amount_set: usd('20.00') }],
        transactions: paidBy('20.00'),
      }),
    );
    expect(await rows()).toEqual([['unpaid', 10]]);
    expect(await flags()).toEqual([]);
  });

  it.each([
    [
      'a line of its own',
      {
        refund_shipping_lines: [
          {
            id: 1,
            subtotal_amount_set: usd('5.00'),
            shipping_line: { id: 61, is_removed: true, price_set: usd('5.00'), tax_lines: [] },
          },
        ],
      },
    ],
    [
      'an adjustment',
      {
        order_adjustments: [
          { kind: 'shipping_refund', amount_set: usd('-5.00'), tax_amount_set: usd('0.00') },
        ],
      },
    ],
    [
      'both',
      {
        refund_shipping_lines: [{ id: 1, subtotal_amount_set: usd('5.00') }],
        order_adjustments: [
          { kind: 'shipping_refund', amount_set: usd('-5.00'), tax_amount_set: usd('0.00') },
        ],
      },
    ],
  ])('30: a refund of shipping takes shipping, reported as %s', async (_, report) => {
    const { send, rows, cart } = await begin();
    await send('orders/paid', cart());
    await send(
      'refunds/create',
      shopifyBack('success', { refund_line_items: [], transactions: paidBy('5.00'), ...report }),
    );
    expect(await rows()).toEqual([['unpaid', 10]]);
  });

  it('30: shipping that was removed before the payment earns nothing', async () => {
    const { t, send, rows, flags, cart } = await begin();
    await configure(t, { exclude_shipping: 'no' });
    const removed = {
      id: 61,
      price_set: usd('5.00'),
      discounted_price_set: usd('5.00'),
      is_removed: true,
      tax_lines: [],
    };
    await send('orders/paid', cart({ shipping_lines: [removed], current_total_price_set: usd('100.00') }));
    expect(await rows()).toEqual([['unpaid', 10]]);
    expect(await flags()).toEqual([]);
  });

  it('39: a payment that was voided may be made again', async () => {
    const { send, rows, cart } = await begin();
    await send('orders/create', cart({ financial_status: 'voided' }));
    await send('orders/paid', cart());
    expect(await rows()).toEqual([['unpaid', 10]]);
  });

  it('is looked through daily: an edited order, a refund that became final', async () => {
    const list: object[] = [];
    const one = await begin({
      api: {
        shops: ['demo.myshopify.com'],
        tokenOf: () => 'shpat_1',
        fetch: async () => new Response(JSON.stringify({ orders: list })),
      },
    });
    const { t, send, rows, cart } = one;
    await send('orders/create', cart({ financial_status: 'pending' }));
    t.clock.advance(DAY);
    list.push(
      cart({
        line_items: [mugs({ quantity: 4, current_quantity: 4 })],
        total_price_set: usd('205.00'),
        current_total_price_set: usd('205.00'),
      }),
    );
    await t.app.commerce.sweeping.run();
    expect(await rows()).toEqual([['unpaid', 20]]);
    await send('refunds/create', shopifyBack('pending'));
    expect(await rows()).toEqual([['unpaid', 15]]);
    t.clock.advance(DAY);
    list[0] = { ...(list[0] as object), updated_at: iso(t.clock.time), refunds: [shopifyBack('failure')] };
    await t.app.commerce.sweeping.run();
    expect(await rows()).toEqual([['unpaid', 20]]);
  });
});

describe('WooCommerce', () => {
  const begin = (refund: object, more: object = {}): Promise<Vendor> =>
    start(
      woo({
        secrets: [secret],
        stores: ['https://woo.test'],
        enabled: true,
        ...more,
        api: {
          keyOf: () => ({ key: 'ck', secret: 'cs' }),
          fetch: async () => new Response(JSON.stringify([refund])),
        },
      }),
    );
  const cart = (one: Vendor, more: object = {}): object =>
    wooOrder({
      meta_data: [{ key: 'fa_ref', value: one.token }],
      date_created_gmt: iso(one.t.clock.time).slice(0, 19),
      date_modified_gmt: iso(one.t.clock.time).slice(0, 19),
      shipping_total: '5.00',
      shipping_tax: '0',
      cart_tax: '0',
      coupon_lines: [],
      total: '115.00',
      line_items: [
        { id: 1, product_id: 9, quantity: 1, subtotal: '100.00', total: '100.00', total_tax: '0' },
      ],
      fee_lines: [{ id: 2, name: 'Gift wrap', total: '10.00', total_tax: '0.00' }],
      ...more,
    });

  it.each([
    ['a fee', { fee_lines: [{ id: 5, total: '-10.00', total_tax: '0.00' }] }, '-10.00', 10],
    ['shipping', { shipping_lines: [{ id: 5, total: '-5.00', total_tax: '0.00' }] }, '-5.00', 10],
    [
      'half of the goods',
      {
        line_items: [
          {
            id: 5,
            quantity: -1,
            total: '-50.00',
            total_tax: '0.00',
            meta_data: [{ key: '_refunded_item_id', value: '1' }],
          },
        ],
      },
      '-50.00',
      5,
    ],
  ])('30: a refund of %s takes that', async (_, lines, total, left) => {
    const one = await begin({ id: 9, line_items: [], shipping_lines: [], fee_lines: [], ...lines });
    await one.send('order.updated', cart(one));
    expect(await one.rows()).toEqual([['unpaid', 10]]);
    await one.send('order.updated', cart(one, { refunds: [{ id: 9, total }] }));
    expect(await one.rows()).toEqual([['unpaid', left]]);
  });

  it('is looked through daily: an edited order, a refund that was deleted', async () => {
    const list: object[] = [];
    const fetch = async (address: unknown): Promise<Response> =>
      new Response(JSON.stringify(String(address).includes('/refunds') ? [] : list));
    const api = { keyOf: () => ({ key: 'ck', secret: 'cs' }), fetch };
    const one = await start(woo({ secrets: [secret], stores: ['https://woo.test'], enabled: true, api }));
    const seen = async (more: object): Promise<unknown[]> => {
      one.t.clock.advance(DAY);
      list[0] = cart(one, more);
      await one.t.app.commerce.sweeping.run();
      return one.rows();
    };
    await one.send('order.created', cart(one, { status: 'on-hold', date_paid_gmt: null }));
    const line = { id: 1, product_id: 9, quantity: 1, total_tax: '0' };
    const edited = { line_items: [{ ...line, subtotal: '60.00', total: '60.00' }], total: '75.00' };
    expect(await seen(edited)).toEqual([['unpaid', 6]]);
    expect(await seen({ ...edited, refunds: [{ id: 9, total: '-37.50' }] })).toEqual([['unpaid', 3]]);
    expect(await seen({ ...edited, refunds: [] })).toEqual([['unpaid', 6]]);
  });

  it('11: says which sources are those of staff', async () => {
    for (const [staffSources, made] of [
      [['admin', 'till'], 0],
      [['admin'], 1],
    ] as const) {
      const one = await begin({}, { staffSources, acceptUnsigned: true });
      const landed = [{ key: '_wc_order_attribution_session_entry', value: 'https://shop.test/?ref=1' }];
      await one.send('order.updated', cart(one, { created_via: 'till', meta_data: landed }));
      expect(await one.rows()).toHaveLength(made);
    }
  });
});

describe('WooCommerce', () => {
  it.each([
    ["a visitor's token", (token: string) => [{ key: 'fa_ref', value: token }], 1],
    [
      'a landing page alone',
      () => [{ key: '_wc_order_attribution_session_entry', value: 'https://shop.test/?ref=1' }],
      0,
    ],
    ['a forged token', () => [{ key: 'fa_ref', value: 'A'.repeat(40) }], 0],
  ])('11: an order of a headless shop with %s', async (_, meta, made) => {
    const one = await start(
      woo({ secrets: [secret], stores: ['https://woo.test'], enabled: true, acceptUnsigned: true }),
    );
    const at = iso(one.t.clock.time).slice(0, 19);
    await one.send(
      'order.updated',
      wooOrder({
        created_via: 'rest-api',
        meta_data: meta(one.token),
        coupon_lines: [],
        date_created_gmt: at,
        date_modified_gmt: at,
      }),
    );
    expect(await one.rows()).toHaveLength(made);
  });
});

describe('Stripe', () => {
  const begin = (): Promise<Vendor> => start(stripe({ secrets: [secret], enabled: true, mode: 'live' }));

  it('28: shipping earns nothing at an endpoint of a version before 2022-08-01', async () => {
    const one = await begin();
    const created = Math.floor(one.t.clock.time / 1000);
    const { shipping_cost: _, ...old } = session({
      client_reference_id: one.token,
      created,
      amount_subtotal: 10000,
      amount_total: 10500,
      total_details: { amount_tax: 0, amount_discount: 0, amount_shipping: 500 },
    }) as Record<string, unknown>;
    await one.send('checkout.session.completed', { ...old, shipping_rate: 'shr_1' });
    expect(await one.rows()).toEqual([['unpaid', 10]]);
  });

  it('is looked through daily: a refund that failed', async () => {
    const list: object[] = [];
    const fetch = async (address: unknown): Promise<Response> =>
      new Response(
        JSON.stringify({ data: String(address).includes('/events') ? list : [], has_more: false }),
      );
    const one = await start(
      stripe({ secrets: [secret], enabled: true, mode: 'live', api: { key: 'rk', fetch } }),
    );
    const created = Math.floor(one.t.clock.time / 1000);
    const refund = { id: 're_1', payment_intent: 'pi_1', amount: 5700, currency: 'usd', status: 'pending' };
    await one.send('checkout.session.completed', session({ client_reference_id: one.token, created }));
    await one.send('refund.created', refund);
    expect(await one.rows()).toEqual([['unpaid', 4.5]]);
    one.t.clock.advance(DAY);
    const failed = { ...refund, status: 'failed' };
    list.push(stripeEvent('refund.failed', failed, { id: 'evt_f', created: created + 3600 }));
    await one.t.app.commerce.sweeping.run();
    expect(await one.rows()).toEqual([['unpaid', 9]]);
  });

  it('30: a credit note of shipping takes shipping', async () => {
    const one = await begin();
    const created = Math.floor(one.t.clock.time / 1000);
    await one.send(
      'invoice.paid',
      invoice({
        created,
        billing_reason: 'manual',
        parent: null,
        metadata: { fa_ref: one.token },
        total: 10500,
        amount_paid: 10500,
        total_excluding_tax: 10500,
        total_taxes: [],
        total_discount_amounts: [],
        shipping_cost: { amount_subtotal: 500, amount_tax: 0, amount_total: 500 },
        lines: { data: [{ id: 'il_1', quantity: 1, amount: 10000, discount_amounts: [], taxes: [] }] },
      }),
    );
    expect(await one.rows()).toEqual([['unpaid', 10]]);
    await one.send('credit_note.created', {
      id: 'cn_1',
      invoice: 'in_1',
      currency: 'usd',
      total: 500,
      refunds: [{ refund: 're_1', amount_refunded: 500 }],
      lines: { data: [] },
      shipping_cost: { amount_subtotal: 500, amount_tax: 0, amount_total: 500 },
    });
    expect(await one.rows()).toEqual([['unpaid', 10]]);
  });

  it.each([
    ['before the payment', { type: 'pre_payment', total: 2500, pre_payment_amount: 2500 }, 7.5],
    ['as older versions say it', { type: 'pre_payment', total: 2500 }, 7.5],
    [
      'in part before and in part after it',
      { type: 'mixed', total: 5000, pre_payment_amount: 2500, post_payment_amount: 2500 },
      5,
    ],
    ['after the payment', { type: 'post_payment', total: 2500, post_payment_amount: 2500 }, 5],
  ])('9: what a credit note took off %s is taken off once', async (_, note, left) => {
    const one = await begin();
    const created = Math.floor(one.t.clock.time / 1000);
    const credit = { id: 'cn_1', invoice: 'in_1', currency: 'usd', lines: { data: [] }, ...note };
    const paid = invoice({
      created,
      billing_reason: 'manual',
      parent: null,
      metadata: { fa_ref: one.token },
      total: 10000,
      amount_paid: 7500,
      total_excluding_tax: 10000,
      total_taxes: [],
      total_discount_amounts: [],
      lines: { data: [{ id: 'il_1', quantity: 1, amount: 10000, discount_amounts: [], taxes: [] }] },
    });
    if (note.type === 'pre_payment') await one.send('credit_note.created', credit);
    await one.send('invoice.paid', paid);
    await one.send('credit_note.created', credit);
    expect(await one.rows()).toEqual([['unpaid', left]]);
  });
});

describe('Medusa', () => {
  interface Capture {
    readonly id: string;
    readonly amount: number;
    readonly created_at: string;
  }
  async function begin(): Promise<{
    readonly one: Vendor;
    readonly order: Record<string, unknown>;
    readonly tell: (name: string) => Promise<unknown>;
    readonly capture: (amount: number) => Promise<unknown>;
  }> {
    const captures: Capture[] = [];
    const payment = { id: 'pay_1', amount: 100, captured_at: null as string | null, captures, refunds: [] };
    const order: Record<string, unknown> = {
      id: 'order_1',
      currency_code: 'usd',
      email: 'jo@buyer.test',
      total: 100,
      items: [{ id: 'i1', product_id: 'p1', quantity: 1, subtotal: 100, discount_subtotal: 0, tax_total: 0 }],
      shipping_methods: [],
      payment_collections: [{ id: 'pc', status: 'authorized', captured_amount: 0, payments: [payment] }],
    };
    const provider = medusa({
      enabled: true,
      query: {
        graph: async ({ entity }) => ({
          data: [entity === 'order' ? order : { payment_collection: { order: { id: 'order_1' } } }],
        }),
      },
    });
    const one = await start(provider);
    Object.assign(order, {
      metadata: { fa_ref: one.token },
      created_at: iso(one.t.clock.time),
      updated_at: iso(one.t.clock.time),
    });
    const tell = (name: string): Promise<unknown> =>
      provider.handle(name, { id: name.startsWith('payment') ? 'pay_1' : 'order_1' });
    return {
      one,
      order,
      tell,
      capture: (amount) => {
        one.t.clock.advance(60_000);
        captures.push({ id: `cap_${captures.length}`, amount, created_at: iso(one.t.clock.time) });
        const all = captures.reduce((sum, each) => sum + each.amount, 0);
        const status = all >= 100 ? 'completed' : 'partially_captured';
        Object.assign((order['payment_collections'] as object[])[0]!, {
          status,
          captured_amount: { value: String(all) },
        });
        if (all >= 100) payment.captured_at = iso(one.t.clock.time);
        return tell('payment.captured');
      },
    };
  }

  it('29: a part that was captured makes its share payable, all of it the rest', async () => {
    const { one, tell, capture } = await begin();
    await tell('order.placed');
    expect(await one.rows()).toEqual([['pending', 10]]);
    await capture(30);
    expect(await one.rows()).toEqual([['unpaid', 3]]);
    await capture(70);
    expect(await one.rows()).toEqual([['unpaid', 10]]);
  });

  it('33: a promotion on shipping is a coupon', async () => {
    const { one, order, tell } = await begin();
    await one.t.admin
      .post('/settings/integration/config')
      .send({ integration: 'medusa', config: { affiliate_on_discount_product: 'yes' } })
      .expect(200);
    await one.t.service.commerce.bindCoupon('medusa', 'FREESHIP', 1);
    order['metadata'] = {};
    order['shipping_methods'] = [
      { subtotal: 5, discount_subtotal: 5, tax_total: 0, adjustments: [{ code: 'FREESHIP', amount: 5 }] },
    ];
    await tell('order.placed');
    expect(await one.rows()).toEqual([['pending', 10]]);
  });

  it('does not take a refund after the cancellation for a payment', async () => {
    const { one, order, tell, capture } = await begin();
    await tell('order.placed');
    await capture(100);
    one.t.clock.advance(60_000);
    order['canceled_at'] = iso(one.t.clock.time);
    await tell('order.canceled');
    one.t.clock.advance(60_000);
    order['updated_at'] = iso(one.t.clock.time);
    await tell('payment.refunded');
    expect((await one.rows())[0]).toEqual(['rejected', 10]);
  });
});

describe('33: providers given in code', () => {
  it('earn with `enabled: true`, until an administrator switches them off', async () => {
    const one = await start(shopify({ secrets: [secret], enabled: true }));
    const { body } = await one.t.admin.get('/settings/integrations').expect(200);
    expect(body.integrations.shopify.config.is_enabled).toBe('yes');
    expect((await one.t.service.risks()).map(({ code }) => code)).not.toContain('provider_off');
    await one.t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'shopify', is_enabled: 'no' })
      .expect(200);
    await one.send('orders/paid', shopifyCart(one)());
    expect(await one.rows()).toEqual([]);
  });

  it('are logged without it: at start, and at the first order', async () => {
    const one = await start(shopify({ secrets: [secret] }));
    const warnings = (): string[] =>
      one.t.log.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings()).toContain('commerce providers are switched off, so their orders earn nothing');
    expect((await one.t.service.risks()).map(({ code }) => code)).toContain('provider_off');
    for (const id of [1, 2])
      await one.send('orders/paid', { ...shopifyCart(one)(), admin_graphql_api_id: null, id });
    expect(
      warnings().filter((message) => message === 'an order is ignored, because its provider is switched off'),
    ).toHaveLength(1);
  });
});
