import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { medusa, shopify, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import type { Wire } from '../support/records.js';
import { configure } from '../support/shop.js';
import {
  invoice,
  session,
  shopifyHeaders,
  shopifyOrder,
  shopifyRefund,
  stripeEvent,
  wooHeaders,
  wooOrder,
} from '../support/shop-payloads.js';
import { customersOf, deliveriesOf, skippedOrders } from '../support/lists.js';
import { storedText } from '../support/rows.js';

interface Vendor extends TestApp {
  readonly token: string;
  deliver(headers: Readonly<Record<string, string>>, body: string): Promise<void>;
  amounts(): Promise<unknown[]>;
  /** Where each referral leads to, on its own page too. */
  orderUrls(): Promise<string[]>;
}

async function start(provider: CommerceProvider, config: object = {}): Promise<Vendor> {
  const t = await startApp({ providers: [provider] });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  await t.admin
    .post('/settings/integration/config')
    .send({ integration: provider.key, config: { is_enabled: 'yes', ...config } })
    .expect(200);
  const rows = async (): Promise<Wire[]> =>
    (await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=100').expect(200)).body.referrals.data;
  return {
    ...t,
    token: await tokenOf(t, affiliate.id),
    deliver: async (headers, body) => {
      await request(t.server)
        .post(`${t.service.basePath}/webhooks/${provider.key}`)
        .set({ 'Content-Type': 'application/json', ...headers })
        .send(body)
        .expect(200);
    },
    amounts: async () =>
      (await rows()).map((row) => [row['type'], row['status'], row['amount'], row['provider_id']]),
    orderUrls: async () => {
      const urls: string[] = [];
      for (const { id, provider_url } of await rows()) {
        urls.push(provider_url as string);
        const { referral } = (await t.admin.get(`/referrals/${id}`).expect(200)).body;
        expect(referral.provider_url).toBe(provider_url);
      }
      return urls;
    },
  };
}

const base64 = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('base64');

describe('Stripe', () => {
  let count = 0;
  const send = (t: Vendor, type: string, object: object, more: object = {}): Promise<void> => {
    const seconds = Math.floor(t.clock.time / 1000);
    const body = JSON.stringify(
      stripeEvent(type, object, { id: `evt_${++count}`, created: seconds, ...more }),
    );
    return t.deliver(
      {
        'Stripe-Signature': `t=${seconds},v1=${createHmac('sha256', 'whsec_x_test').update(`${seconds}.${body}`).digest('hex')}`,
      },
      body,
    );
  };
  const at = (t: Vendor): { created: number } => ({ created: Math.floor(t.clock.time / 1000) });
  const first = (t: Vendor, more: object = {}): object => invoice({ ...at(t), ...more });
  const subscribed = (t: Vendor): object =>
    session({
      ...at(t),
      mode: 'subscription',
      invoice: 'in_1',
      subscription: 'sub_1',
      client_reference_id: t.token,
    });
  const cycle = (t: Vendor, id: string, more: object = {}): object =>
    invoice({ ...at(t), id, billing_reason: 'subscription_cycle', ...more });
  const startStripe = (config: object = {}): Promise<Vendor> =>
    start(stripe({ secrets: ['whsec_x_test'], mode: 'live' }), config);

  it('pays for a Checkout session, and takes back what was refunded', async () => {
    const t = await startStripe();
    await send(t, 'refund.created', {
      id: 're_1',
      charge: 'ch_1',
      payment_intent: 'pi_1',
      amount: 5700,
      currency: 'usd',
      status: 'succeeded',
    });
    await send(t, 'checkout.session.completed', session({ ...at(t), client_reference_id: t.token }));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 9, 'pi_1']]);
    await send(t, 'refund.failed', {
      id: 're_1',
      charge: 'ch_1',
      payment_intent: 'pi_1',
      amount: 5700,
      currency: 'usd',
      status: 'failed',
    });
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 'pi_1']]);
  });

  it.each([true, false])(
    'knows a session and its first invoice as one sale, session first: %s',
    async (sessionFirst) => {
      const t = await startStripe();
      const steps = [
        () => send(t, 'checkout.session.completed', subscribed(t)),
        () => send(t, 'invoice.paid', first(t)),
      ];
      for (const step of sessionFirst ? steps : steps.toReversed()) await step();
      expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 'in_1']]);
      await send(t, 'invoice_payment.paid', { invoice: 'in_1', payment: { payment_intent: 'pi_9' } });
      await send(t, 'charge.dispute.created', {
        id: 'dp_1',
        charge: 'ch_9',
        payment_intent: 'pi_9',
        status: 'needs_response',
      });
      expect(await t.amounts()).toEqual([['sale', 'pending', 18, 'in_1']]);
      await send(t, 'charge.dispute.closed', {
        id: 'dp_1',
        charge: 'ch_9',
        payment_intent: 'pi_9',
        status: 'won',
      });
      expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 'in_1']]);
    },
  );

  it('credits an invoice after ten minutes without its session', async () => {
    const t = await startStripe();
    await send(t, 'invoice.paid', first(t));
    expect(await deliveriesOf(t)).toMatchObject([{ status: 'received' }]);
    t.clock.advance(600_000);
    await t.app.commerce.inbox.workDue();
    expect(await deliveriesOf(t)).toMatchObject([{ status: 'ignored', reason: 'no_affiliate' }]);
  });

  it('pays renewals when both switches are on, up to the limit with the first payment', async () => {
    const t = await startStripe({ enable_subscription_renewal: 'yes' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10, max_renewal_count: 3 });
    await send(t, 'invoice.paid', cycle(t, 'in_2'));
    await send(t, 'checkout.session.completed', subscribed(t));
    await send(t, 'invoice.paid', first(t));
    await Promise.all(['in_3', 'in_4', 'in_5'].map((id) => send(t, 'invoice.paid', cycle(t, id))));
    await t.app.commerce.inbox.workDue();
    const rows = await t.amounts();
    expect(rows.map((row) => (row as unknown[]).slice(0, 3))).toEqual([
      ['sale', 'unpaid', 18],
      ['recurring_sale', 'unpaid', 9],
      ['recurring_sale', 'unpaid', 9],
    ]);
    expect((await skippedOrders(t)).filter(({ reason }) => reason === 'renewal_limit')).toHaveLength(2);
  });

  it('uses the renewal rates of the settings, and pays nothing with the switch off', async () => {
    const rates = {
      custom_affiliate_rate: 'no',
      renewal_custom_affiliate_rate: 'yes',
      renewal_custom_affiliate_rates: [{ object_type: 'product', object_ids: ['prod_1'], rate: 50 }],
    };
    for (const [enabled, renewal] of [
      ['yes', 45],
      ['no', null],
    ] as const) {
      const t = await startStripe({ enable_subscription_renewal: enabled, ...rates });
      await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
      await send(t, 'checkout.session.completed', subscribed(t));
      await send(t, 'invoice.paid', first(t));
      await send(t, 'invoice.paid', cycle(t, 'in_2'));
      expect((await t.amounts()).map((row) => (row as unknown[])[2])).toEqual(
        renewal === null ? [18] : [18, renewal],
      );
    }
  });

  it('takes the first payment after a trial for the sale', async () => {
    const t = await startStripe({ enable_subscription_renewal: 'yes' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    const zero = {
      total: 0,
      amount_paid: 0,
      total_excluding_tax: 0,
      total_taxes: [],
      total_discount_amounts: [],
      lines: { data: [] },
    };
    await send(t, 'checkout.session.completed', subscribed(t));
    await send(t, 'invoice.paid', first(t, zero));
    expect(await t.amounts()).toEqual([]);
    await send(t, 'invoice.paid', cycle(t, 'in_2'));
    await send(t, 'invoice.paid', cycle(t, 'in_3'));
    expect(await t.amounts()).toEqual([
      ['sale', 'unpaid', 18, 'in_2'],
      ['recurring_sale', 'unpaid', 9, 'in_3'],
    ]);
  });

  it.each([
    ['a change of plan', 'subscription_update', ['sale', 'unpaid', 18]],
    ['an invoice made by hand', 'manual', ['recurring_sale', 'unpaid', 9]],
  ])('%s belongs to the affiliate of the subscription, without any token', async (_what, reason, row) => {
    const t = await startStripe({ enable_subscription_renewal: 'yes', disable_on_upgrades: 'no' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, 'checkout.session.completed', subscribed(t));
    await send(t, 'invoice.paid', first(t));
    const more = { id: 'in_2', billing_reason: reason };
    const parent = { subscription_details: { subscription: 'sub_1' } };
    await send(t, 'invoice.paid', invoice({ ...at(t), ...more, parent }));
    expect(await t.amounts()).toEqual([
      ['sale', 'unpaid', 18, 'in_1'],
      [...row, 'in_2'],
    ]);
  });

  it('a change of plan without any token is reported as an upgrade when upgrades earn nothing', async () => {
    const t = await startStripe({ enable_subscription_renewal: 'yes' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, 'checkout.session.completed', subscribed(t));
    await send(t, 'invoice.paid', first(t));
    const parent = { subscription_details: { subscription: 'sub_1' } };
    const change = { id: 'in_2', billing_reason: 'subscription_update', parent };
    await send(t, 'invoice.paid', invoice({ ...at(t), ...change }));
    expect(await skippedOrders(t)).toMatchObject([{ reason: 'upgrade_order', provider_id: 'in_2' }]);
  });

  it('pays no renewal after a person rejected the first sale, and no upgrade', async () => {
    const t = await startStripe({ enable_subscription_renewal: 'yes' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, 'checkout.session.completed', subscribed(t));
    await send(t, 'invoice.paid', first(t));
    await send(
      t,
      'invoice.paid',
      invoice({
        ...at(t),
        id: 'in_up',
        billing_reason: 'subscription_update',
        parent: { subscription_details: { subscription: 'sub_1', metadata: { fa_ref: t.token } } },
      }),
    );
    t.clock.advance(1000);
    const sale = await t.service.conversions.find('stripe', 'in_1');
    await t.admin.patch(`/referrals/${sale!.id}`).send({ status: 'rejected' }).expect(200);
    await send(t, 'invoice.paid', cycle(t, 'in_2'));
    expect(await t.amounts()).toEqual([['sale', 'rejected', 18, 'in_1']]);
    expect((await skippedOrders(t)).map(({ reason }) => reason)).toEqual([
      'upgrade_order',
      'parent_rejected',
    ]);
  });

  it('ignores test events in live mode', async () => {
    const t = await startStripe();
    await send(t, 'checkout.session.completed', session({ ...at(t), client_reference_id: t.token }), {
      livemode: false,
    });
    expect(await t.amounts()).toEqual([]);
  });
});

describe('WooCommerce', () => {
  const send = (
    t: Vendor,
    body: object,
    topic = 'order.updated',
    source = 'https://woo.test',
  ): Promise<void> => {
    const text = JSON.stringify(body);
    return t.deliver(
      {
        ...wooHeaders(topic),
        'X-WC-Webhook-Source': source,
        'X-WC-Webhook-Signature': base64('s3cret-of-woo', text),
      },
      text,
    );
  };
  const mine = (t: Vendor, more: object = {}): object =>
    wooOrder({
      meta_data: [{ key: 'fa_ref', value: t.token }],
      date_created_gmt: '2026-01-15T15:00:00',
      date_modified_gmt: '2026-01-15T15:00:00',
      ...more,
    });

  it('pays for an order, in part refunded and given back', async () => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }));
    await send(t, mine(t), 'order.created');
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 727]]);
    await send(t, mine(t, { refunds: [{ id: 9, total: '-57.00' }] }));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 9, 727]]);
    await send(t, mine(t, { number: '728', refunds: [] }));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 727]]);
    await send(t, mine(t, { status: 'refunded', date_modified_gmt: '2026-01-15T15:10:00' }));
    expect(await t.amounts()).toEqual([['sale', 'rejected', 0, 727]]);
  });

  it('keeps two shops apart', async () => {
    const t = await start(
      woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test', 'https://two.test/shop/'] }),
    );
    await send(t, mine(t));
    await send(t, mine(t), 'order.updated', 'https://two.test/shop');
    await send(t, mine(t, { status: 'cancelled', date_modified_gmt: '2026-01-15T16:00:00' }));
    expect((await t.amounts()).map((row) => (row as unknown[])[1])).toEqual(['rejected', 'unpaid']);
  });

  it('credits whom a coupon is bound to, before the link, also for orders made by staff', async () => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }), {
      affiliate_on_discount_product: 'yes',
    });
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    await t.service.commerce.bindCoupon('woo', 'summer', other.id);
    await send(t, mine(t));
    await send(t, mine(t, { id: 728, created_via: 'admin' }));
    await send(t, mine(t, { id: 729, created_via: 'admin', coupon_lines: [] }));
    const rows = (await t.admin.get('/referrals?order_by=id&order_type=ASC')).body.referrals.data as {
      affiliate_id: number;
    }[];
    expect(rows.map((row) => row.affiliate_id)).toEqual([other.id, other.id]);
  });

  it('credits whom a coupon of free shipping is bound to, which takes nothing off the goods', async () => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }), {
      affiliate_on_discount_product: 'yes',
    });
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    await t.service.commerce.bindCoupon('woo', 'freeship', other.id);
    const paid = [{ method_id: 'flat_rate', total: '5.00' }];
    const free = [{ method_id: 'free_shipping', total: '0.00' }];
    const line = (more: object = {}): object => ({ code: 'freeship', discount: '0', ...more });
    const info = (value: string): object => line({ meta_data: [{ key: 'coupon_info', value }] });
    const data = (value: object): object => line({ meta_data: [{ key: 'coupon_data', value }] });
    const credited = async (id: number, coupon: object, shipping: object[]): Promise<boolean> => {
      await send(t, mine(t, { id, coupon_lines: [coupon], shipping_lines: shipping }));
      const { body } = await t.admin.get(`/referrals?search=${id}`).expect(200);
      return body.referrals.data[0]?.affiliate_id === other.id;
    };

    expect(await credited(901, line({ free_shipping: true }), paid)).toBe(true);
    expect(await credited(902, info('[7,"freeship","percent",0,true]'), paid)).toBe(true);
    expect(await credited(903, data({ free_shipping: true }), paid)).toBe(true);
    expect(await credited(904, line(), free)).toBe(true);
    expect(await credited(905, line({ free_shipping: false }), free)).toBe(false);
    expect(await credited(906, info('[7,"freeship","percent",0]'), free)).toBe(false);
    expect(await credited(907, line(), paid)).toBe(false);
  });

  it('finds the first order of a renewal through the subscription', async () => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }), {
      enable_subscription_renewal: 'yes',
    });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, mine(t, { id: 800, meta_data: [{ key: '_subscription_renewal', value: '50' }] }));
    await send(t, { id: 50, parent_id: 727 }, 'subscription.created');
    await send(t, mine(t));
    expect(await t.amounts()).toEqual([
      ['sale', 'unpaid', 18, 727],
      ['recurring_sale', 'unpaid', 9, 800],
    ]);
  });

  it.each([
    ['_subscription_switch', ['sale', 'unpaid', 18, 800]],
    ['_subscription_resubscribe', ['recurring_sale', 'unpaid', 9, 800]],
  ])('an order with %s and without any token is the subscription’s', async (key, row) => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }), {
      enable_subscription_renewal: 'yes',
      disable_on_upgrades: 'no',
    });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, mine(t));
    await send(t, { id: 50, parent_id: 727 }, 'subscription.created');
    await send(t, mine(t, { id: 800, meta_data: [{ key, value: '50' }] }));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 727], row]);
  });

  it('a switch is reported as an upgrade when upgrades earn nothing', async () => {
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }));
    await send(t, mine(t));
    await send(t, { id: 50, parent_id: 727 }, 'subscription.created');
    await send(t, mine(t, { id: 800, meta_data: [{ key: '_subscription_switch', value: '50' }] }));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 727]]);
    expect(await skippedOrders(t)).toMatchObject([{ reason: 'upgrade_order', provider_id: '800' }]);
  });

  it('links a referral to the order in its own shop', async () => {
    const stores = ['https://woo.test', 'https://other.test'];
    const t = await start(woo({ secrets: ['s3cret-of-woo'], stores }));
    for (const store of stores) await send(t, mine(t), 'order.updated', store);
    expect(await t.orderUrls()).toEqual([
      'https://woo.test/wp-admin/post.php?post=727&action=edit',
      'https://other.test/wp-admin/post.php?post=727&action=edit',
    ]);
  });
});

describe('Shopify', () => {
  let count = 0;
  const send = (t: Vendor, topic: string, body: string | object): Promise<void> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return t.deliver(
      {
        ...shopifyHeaders(topic),
        'X-Shopify-Webhook-Id': `wh_${++count}`,
        'X-Shopify-Triggered-At': new Date(t.clock.time).toISOString(),
        'X-Shopify-Hmac-Sha256': base64('hush-hush', text),
      },
      text,
    );
  };
  const mine = (t: Vendor, more: object = {}): object =>
    shopifyOrder({
      note_attributes: [{ name: 'fa_ref', value: t.token }],
      created_at: new Date(t.clock.time).toISOString(),
      ...more,
    });

  it('pays for an order whose id is longer than a number, and takes back its refund', async () => {
    const t = await start(shopify({ secrets: ['hush-hush'] }));
    await send(t, 'refunds/create', shopifyRefund());
    await send(t, 'orders/create', mine(t, { financial_status: 'pending' }));
    expect(await t.amounts()).toEqual([['sale', 'pending', 9, '820982911946154508']]);
    await send(t, 'orders/paid', mine(t));
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 9, '820982911946154508']]);
  });

  it("links a referral to the shop's order", async () => {
    const t = await start(shopify({ secrets: ['hush-hush'] }));
    await send(t, 'orders/paid', mine(t));
    expect(await t.orderUrls()).toEqual(['https://demo.myshopify.com/admin/orders/820982911946154508']);
  });

  it('knows an instalment by its contract', async () => {
    const t = await start(shopify({ secrets: ['hush-hush'] }), { enable_subscription_renewal: 'yes' });
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await send(t, 'orders/paid', mine(t));
    await send(
      t,
      'orders/paid',
      mine(t, {
        admin_graphql_api_id: 'gid://shopify/Order/77',
        source_name: 'subscription_contract_checkout_one',
      }),
    );
    expect(await t.amounts()).toHaveLength(1);
    await send(t, 'subscription_billing_attempts/success', { subscription_contract_id: 9, order_id: 77 });
    await send(t, 'subscription_contracts/create', { id: 9, origin_order_id: '820982911946154508' });
    expect(await t.amounts()).toEqual([
      ['sale', 'unpaid', 18, '820982911946154508'],
      ['recurring_sale', 'unpaid', 9, 77],
    ]);
  });

  it('takes the landing page as a hint only when the option allows it', async () => {
    for (const acceptUnsigned of [false, true]) {
      const t = await start(shopify({ secrets: ['hush-hush'], acceptUnsigned }));
      await send(t, 'orders/paid', mine(t, { note_attributes: [] }));
      expect(await t.amounts()).toEqual(
        acceptUnsigned ? [['sale', 'pending', 18, '820982911946154508']] : [],
      );
    }
  });

  it('forgets a buyer', async () => {
    const t = await start(shopify({ secrets: ['hush-hush'] }));
    await send(t, 'orders/paid', mine(t));
    await send(t, 'customers/redact', { customer: { id: 1, email: 'jo@buyer.test' } });
    expect(await customersOf(t)).toMatchObject([{ email: null, first_name: null }]);
    expect(await storedText(t, 'provider_deliveries')).not.toContain('jo@buyer.test');
  });
});

describe('Medusa', () => {
  it('is asked for the order its events name', async () => {
    const handlers = new Map<string, (message: { data: unknown }) => Promise<void>>();
    const order = {
      id: 'order_1',
      display_id: 12,
      currency_code: 'usd',
      email: 'jo@buyer.test',
      created_at: '2026-01-15T15:00:00Z',
      updated_at: '2026-01-15T15:00:00Z',
      metadata: {} as object,
      total: 114,
      items: [
        {
          id: 'i1',
          product_id: 'p1',
          title: 'Mug',
          quantity: { value: '1' },
          subtotal: { value: '100', precision: 20 },
          discount_subtotal: 10,
          tax_total: 18,
          adjustments: [{ code: 'SUMMER', amount: 10 }],
        },
      ],
      shipping_methods: [{ subtotal: 5, tax_total: 1 }],
      payment_collections: [
        {
          id: 'pc',
          status: 'authorized',
          payments: [{ id: 'pay_1', captured_at: null as string | null, refunds: [] as object[] }],
        },
      ],
    };
    const provider = medusa({
      events: {
        subscribe: (name, handler) => {
          handlers.set(name, handler);
        },
      },
      query: {
        graph: async ({ entity, filters }) => ({
          data:
            entity === 'order' && filters['id'] === 'order_1'
              ? [order]
              : filters['id'] === 'pay_1'
                ? [{ payment_collection: { order: { id: 'order_1' } } }]
                : [],
        }),
      },
    });
    const t = await start(provider);
    order.metadata = { fa_ref: t.token };
    await handlers.get('order.placed')?.({ data: { id: 'order_1' } });
    expect(await t.amounts()).toEqual([['sale', 'pending', 18, 'order_1']]);
    order.payment_collections[0]!.payments[0]!.captured_at = '2026-01-15T15:01:00Z';
    await handlers.get('payment.captured')?.({ data: { id: 'pay_1' } });
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 18, 'order_1']]);
    order.payment_collections[0]!.payments[0]!.refunds = [{ id: 'ref_1', amount: 57 }];
    await handlers.get('payment.refunded')?.({ data: { id: 'pay_1' } });
    expect(await t.amounts()).toEqual([['sale', 'unpaid', 9, 'order_1']]);
    expect(await provider.handle('order.placed', { id: 'nothing' })).toBeNull();
    expect(await provider.fetchOrder?.({ account: '', id: 'order_1' })).toMatchObject({
      currency: 'USD',
      coupons: [{ code: 'SUMMER', discount: 1000 }],
    });
  });
});
