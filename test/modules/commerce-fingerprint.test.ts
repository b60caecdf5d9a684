import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { medusa, shopify, standardProvider, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp, type TestApp } from '../support/app.js';
import { order as standardOrder, SECRET, sign, tokenOf } from '../support/commerce.js';
import {
  session,
  shopifyHeaders,
  shopifyOrder,
  stripeEvent,
  wooHeaders,
  wooOrder,
} from '../support/shop-payloads.js';
import { referralsOf, skippedOrders } from '../support/lists.js';
import { storedText } from '../support/rows.js';
import { post, VENDORS } from '../support/vendors.js';
import { shopifyVendor, stripeVendor, type VendorApi } from '../support/vendor-api.js';
import { Stripe } from 'stripe';

// The affiliate buys with a card under the own name, another person buys with the same
// card, a third one with another.

interface Bought {
  readonly n: number;
  readonly email: string;
  readonly card: string;
}
interface Shop {
  readonly provider: CommerceProvider;
  readonly buy: (t: TestApp, token: string, bought: Bought) => Promise<unknown>;
}

const opened: VendorApi[] = [];
afterEach(() => {
  for (const api of opened.splice(0)) api.close();
});
const started = async (api: VendorApi): Promise<VendorApi> => {
  opened.push(api);
  return api.start();
};
const base64 = (key: string, body: string): string => createHmac('sha256', key).update(body).digest('base64');
const json = { 'Content-Type': 'application/json' };
const iso = (t: TestApp): string => new Date(t.clock.time).toISOString().slice(0, 19);
const shopMessage = (
  body: string,
  headers: Readonly<Record<string, string>>,
): Parameters<typeof post>[2] => ({ body, headers: { ...json, ...headers } });

const SHOPS: Readonly<Record<string, () => Promise<Shop>>> = {
  stripe: async () => {
    const api = await started(stripeVendor());
    return {
      provider: stripe({ secrets: ['whsec_x_test'], api: { key: 'rk_1', fetch: api.fetch } }),
      buy: async (t, token, { n, email, card }) => {
        api.objects.set(`/v1/payment_intents/pi_${n}`, {
          id: `pi_${n}`,
          latest_charge: {
            id: `ch_${n}`,
            payment_method_details: { type: 'card', card: { last4: '4242', fingerprint: card } },
          },
        });
        const seconds = Math.floor(t.clock.time / 1000);
        const bought = session({
          id: `cs_${n}`,
          payment_intent: `pi_${n}`,
          created: seconds,
          client_reference_id: token,
          discounts: [],
          customer_details: { email },
        });
        const body = JSON.stringify(
          stripeEvent('checkout.session.completed', bought, { id: `evt_${n}`, created: seconds }),
        );
        return post(
          t,
          'stripe',
          shopMessage(body, {
            'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
              payload: body,
              secret: 'whsec_x_test',
              timestamp: seconds,
            }),
          }),
        );
      },
    };
  },
  woo: async () => ({
    provider: woo({
      secrets: ['s3cret-of-woo'],
      stores: ['https://woo.test'],
      paymentMeta: ['_gateway_card', '_other'],
    }),
    buy: async (t, token, { n, email, card }) => {
      const meta = [
        { key: 'fa_ref', value: token },
        { key: '_gateway_card', value: '' },
        { key: '_other', value: card },
      ];
      const body = JSON.stringify(
        wooOrder({
          id: n,
          number: String(n),
          transaction_id: `t${n}`,
          meta_data: meta,
          billing: { email },
          customer_id: 0,
          date_created_gmt: iso(t),
          date_modified_gmt: iso(t),
          date_paid_gmt: iso(t),
        }),
      );
      return post(
        t,
        'woo',
        shopMessage(body, { ...wooHeaders(), 'X-WC-Webhook-Signature': base64('s3cret-of-woo', body) }),
      );
    },
  }),
  shopify: async () => {
    const api = await started(shopifyVendor());
    return {
      provider: shopify({
        secrets: ['hush-hush'],
        api: { shops: ['demo.myshopify.com'], tokenOf: () => 'shpat_1', fetch: api.fetch },
      }),
      buy: async (t, token, { n, email, card }) => {
        const details = {
          credit_card_bin: '424242',
          credit_card_number: `•••• •••• •••• ${card.slice(-4)}`,
          credit_card_expiration_month: 1,
          credit_card_expiration_year: 2030,
        };
        api.objects.set(`/admin/api/2025-10/orders/${n}/transactions.json`, [
          { kind: 'sale', status: 'failure', payment_details: { ...details, credit_card_bin: '411111' } },
          { kind: 'sale', status: 'success', payment_details: details },
        ]);
        const body = JSON.stringify(
          shopifyOrder({
            admin_graphql_api_id: `gid://shopify/Order/${n}`,
            checkout_token: `c${n}`,
            cart_token: `k${n}`,
            confirmation_number: `x${n}`,
            email,
            customer: { id: n },
            note_attributes: [{ name: 'fa_ref', value: token }],
            created_at: `${iso(t)}Z`,
            discount_codes: [],
          }),
        );
        return post(
          t,
          'shopify',
          shopMessage(body, {
            ...shopifyHeaders(),
            'X-Shopify-Webhook-Id': `w${n}`,
            'X-Shopify-Triggered-At': `${iso(t)}Z`,
            'X-Shopify-Hmac-Sha256': base64('hush-hush', body),
          }),
        );
      },
    };
  },
  medusa: async () => {
    const orders = new Map<string, object>();
    const provider = medusa({
      query: {
        graph: async ({ filters }) => ({ data: [orders.get(String(filters['id']))].filter(Boolean) }),
      },
    });
    return {
      provider,
      buy: async (t, token, { n, email, card }) => {
        const data = {
          id: `pi_${n}`,
          charges: {
            data: [{ id: `ch_${n}`, payment_method_details: { type: 'card', card: { fingerprint: card } } }],
          },
        };
        orders.set(`order_${n}`, {
          id: `order_${n}`,
          currency_code: 'usd',
          email,
          created_at: `${iso(t)}Z`,
          metadata: { fa_ref: token },
          total: 90,
          items: [{ id: 'i1', product_id: 'p1', title: 'Mug', quantity: 1, subtotal: 90 }],
          payment_collections: [
            {
              id: `pc_${n}`,
              status: 'completed',
              payments: [{ id: `pay_${n}`, captured_at: `${iso(t)}Z`, data, refunds: [] }],
            },
          ],
        });
        return provider.handle('order.placed', { id: `order_${n}` });
      },
    };
  },
  own: async () => ({
    provider: standardProvider({ key: 'own', secrets: [SECRET] }),
    buy: async (t, token, { n, email, card }) => {
      const body = JSON.stringify({
        type: 'order.paid',
        at: t.clock.time,
        order: standardOrder({
          id: `A-${n}`,
          attribution: { token },
          customer: { email, payment_fingerprint: card },
        }),
      });
      const seconds = Math.floor(t.clock.time / 1000);
      return post(
        t,
        'own',
        shopMessage(body, {
          'webhook-id': `m${n}`,
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': sign(`m${n}`, seconds, body),
        }),
      );
    },
  }),
};

async function start(provider: CommerceProvider): Promise<{ t: TestApp; token: string }> {
  const t = await startApp({ providers: [provider], fraud: { samePayment: 'reject' } });
  const affiliate = (await t.records.affiliate({
    user_id: 2,
    status: 'active',
    payment_email: 'pay@alice.test',
  })) as { id: number };
  await t.admin
    .post('/settings/integration/update-status')
    .send({ integration: provider.key, is_enabled: 'yes' })
    .expect(200);
  return { t, token: await tokenOf(t, affiliate.id) };
}

describe('the card of the affiliate', () => {
  it.each(Object.entries(SHOPS))('is known again in an order of %s', async (_, make) => {
    const { provider, buy } = await make();
    const { t, token } = await start(provider);
    await buy(t, token, { n: 1, email: 'pay@alice.test', card: 'card_4242' });
    await buy(t, token, { n: 2, email: 'friend@mail.test', card: 'card_4242' });
    await buy(t, token, { n: 3, email: 'jo@mail.test', card: 'card_1111' });
    const skipped = await skippedOrders(t);
    expect(skipped.map(({ reason }) => reason)).toEqual(['self_referral', 'same_payment']);
    expect((await referralsOf(t)).map(({ status }) => status)).toEqual(['unpaid']);
    // Nothing keeps the name of a card: marks are keyed hashes, finished deliveries hold no event.
    expect(
      await storedText(t, 'provider_deliveries', 'orders', 'referrals', 'customers', 'affiliate_marks'),
    ).not.toMatch(/card_4242|card_1111/);
  });

  it('is not fetched when no affiliate can be credited, the order is known, or the key lacks the permission', async () => {
    const api = await started(stripeVendor());
    const { t, token } = await start(
      stripe({ secrets: ['whsec_x_test'], api: { key: 'rk_1', fetch: api.fetch } }),
    );
    const asked = (): number => api.asked.filter(({ path }) => path.startsWith('/v1/payment_intents')).length;
    const vendor = VENDORS[0]!;
    const send = (kind: 'created' | 'paid', given: string, id: string): Promise<number> =>
      post(t, 'stripe', vendor.message(kind, { n: 1, token: given }, { at: t.clock.time, id }));
    api.interfere = ({ path }) => (path.startsWith('/v1/payment_intents') ? { status: 403 } : null);
    const coupons = stripeEvent(
      'checkout.session.completed',
      session({
        id: 'cs_2',
        payment_intent: 'pi_2',
        client_reference_id: null,
        discounts: [],
        created: Math.floor(t.clock.time / 1000),
      }),
      { created: Math.floor(t.clock.time / 1000), id: 'evt_n' },
    );
    const body = JSON.stringify(coupons);
    await post(
      t,
      'stripe',
      shopMessage(body, {
        'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
          payload: body,
          secret: 'whsec_x_test',
          timestamp: Math.floor(t.clock.time / 1000),
        }),
      }),
    );
    expect(asked()).toBe(0);
    await send('created', token, '1');
    await send('paid', token, '2');
    expect([asked(), await referralsOf(t)]).toMatchObject([1, [{ status: 'unpaid' }]]);
  });
});
