import { createHmac } from 'node:crypto';
import request from 'supertest';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { medusa, shopify, standardProvider, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import type { TestApp } from './app.js';
import { order as standardOrder, SECRET } from './commerce.js';
import {
  session,
  shopifyHeaders,
  shopifyOrder,
  shopifyRefund,
  stripeEvent,
  wooHeaders,
  wooOrder,
} from './shop-payloads.js';

/** What happens to every order of the tables: 114.00 charged, 18.00 earned; half of it is given back. */
export type VendorEvent = 'created' | 'paid' | 'refunded';
export interface Order {
  readonly n: number;
  readonly token: string;
}
interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
interface Signing {
  readonly at: number;
  readonly id: string;
  readonly secret?: string;
}

export interface Vendor {
  readonly key: string;
  readonly provider: CommerceProvider;
  readonly id: (n: number) => string;
  readonly message: (event: VendorEvent, order: Order, signing: Signing) => Message;
  /** Its signature covers a time. */
  readonly timed: boolean;
  /** A signature by somebody else. */
  readonly wrong: string;
}

const base64 = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('base64');
const iso = (at: number): string => new Date(at).toISOString().slice(0, 19);
const json = 'application/json';

const STRIPE: Vendor = {
  key: 'stripe',
  provider: stripe({ secrets: ['whsec_x_test'], mode: 'live' }),
  id: (n) => `pi_${n}`,
  timed: true,
  wrong: 'whsec_y',
  message: (event, { n, token }, { at, id, secret = 'whsec_x_test' }) => {
    const seconds = Math.floor(at / 1000);
    const cart = (paid: string): object =>
      session({
        id: `cs_${n}`,
        payment_intent: `pi_${n}`,
        created: seconds,
        client_reference_id: token,
        payment_status: paid,
      });
    const [type, object] = {
      created: ['checkout.session.completed', cart('unpaid')] as const,
      paid: ['checkout.session.async_payment_succeeded', cart('paid')] as const,
      refunded: [
        'refund.created',
        { id: `re_${n}`, payment_intent: `pi_${n}`, amount: 5700, currency: 'usd', status: 'succeeded' },
      ] as const,
    }[event];
    const body = JSON.stringify(stripeEvent(type, object, { id: `evt_${id}`, created: seconds }));
    return {
      body,
      headers: {
        'Content-Type': json,
        'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
          payload: body,
          secret,
          timestamp: seconds,
        }),
      },
    };
  },
};

const WOO: Vendor = {
  key: 'woo',
  provider: woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }),
  id: String,
  timed: false,
  wrong: 'other',
  message: (event, { n, token }, { at, id, secret = 's3cret-of-woo' }) => {
    const states = {
      created: { status: 'pending', date_paid_gmt: null, date_modified_gmt: iso(at) },
      paid: { date_modified_gmt: iso(at + 1000) },
      refunded: { refunds: [{ id: n * 10, total: '-57.00' }], date_modified_gmt: iso(at + 2000) },
    };
    const body = JSON.stringify(
      wooOrder({
        id: n,
        number: id,
        transaction_id: `t${n}`,
        date_created_gmt: iso(at),
        meta_data: [{ key: 'fa_ref', value: token }],
        ...states[event],
      }),
    );
    return {
      body,
      headers: { 'Content-Type': json, ...wooHeaders(), 'X-WC-Webhook-Signature': base64(secret, body) },
    };
  },
};

const SHOPIFY: Vendor = {
  key: 'shopify',
  provider: shopify({ secrets: ['hush-hush'] }),
  id: (n) => `82098291194615${n}`,
  timed: false,
  wrong: 'other',
  message: (event, { n, token }, { at, id, secret = 'hush-hush' }) => {
    const full = `82098291194615${n}`;
    const order = (more: object): string =>
      JSON.stringify(
        shopifyOrder({
          admin_graphql_api_id: `gid://shopify/Order/${full}`,
          note_attributes: [{ name: 'fa_ref', value: token }],
          created_at: `${iso(at)}Z`,
          checkout_token: `c${n}`,
          cart_token: `k${n}`,
          confirmation_number: `x${n}`,
          ...more,
        }),
      );
    const [topic, body] = {
      created: ['orders/create', order({ financial_status: 'pending' })] as const,
      paid: ['orders/paid', order({})] as const,
      refunded: ['refunds/create', shopifyRefund({ id: n }).replace('820982911946154508', full)] as const,
    }[event];
    return {
      body,
      headers: {
        'Content-Type': json,
        ...shopifyHeaders(topic),
        'X-Shopify-Webhook-Id': id,
        'X-Shopify-Triggered-At': `${iso(at)}Z`,
        'X-Shopify-Hmac-Sha256': base64(secret, body),
      },
    };
  },
};

const STANDARD: Vendor = {
  key: 'own',
  provider: standardProvider({ key: 'own', secrets: [SECRET] }),
  id: (n) => `A-${n}`,
  timed: true,
  wrong: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  message: (event, { n, token }, { at, id, secret = SECRET }) => {
    const order = standardOrder({ id: `A-${n}`, attribution: { token } });
    const sent = {
      created: { type: 'order.created', order },
      paid: { type: 'order.paid', order },
      refunded: {
        type: 'order.refunded',
        refund: { order_ref: `A-${n}`, refund_id: 'r', gross: '57.00', currency: 'USD' },
      },
    }[event];
    const body = JSON.stringify({ at, ...sent });
    const seconds = Math.floor(at / 1000);
    return {
      body,
      headers: {
        'Content-Type': json,
        'webhook-id': id,
        'webhook-timestamp': `${seconds}`,
        'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
      },
    };
  },
};

/** Those that call over HTTP. */
export const VENDORS: readonly Vendor[] = [STRIPE, WOO, SHOPIFY, STANDARD];

export const post = async (t: TestApp, key: string, { body, headers }: Message): Promise<number> =>
  (await request(t.server).post(`${t.service.basePath}/webhooks/${key}`).set(headers).send(body)).status;

export interface MedusaShop {
  readonly provider: CommerceProvider;
  /** Sends the event; the shop's order is in the state it reports, or in a later one. */
  tell(event: VendorEvent, order: Order): Promise<void>;
}

/** The fifth one runs in this process: its events name an id, the order is asked for. */
export function medusaShop(): MedusaShop {
  const orders = new Map<string, Record<string, unknown>>();
  const handlers = new Map<string, (message: { data: unknown }) => Promise<void>>();
  const orderOf = ({ n, token }: Order): Record<string, unknown> => ({
    id: `order_${n}`,
    currency_code: 'usd',
    email: 'jo@buyer.test',
    created_at: '2026-01-15T15:00:00Z',
    updated_at: '2026-01-15T15:00:00Z',
    metadata: { fa_ref: token },
    total: 114,
    items: [
      {
        id: 'i1',
        product_id: 'p1',
        title: 'Mug',
        quantity: 1,
        subtotal: 100,
        discount_subtotal: 10,
        tax_total: 18,
      },
    ],
    shipping_methods: [{ subtotal: 5, tax_total: 1 }],
    payment_collections: [
      { id: `pc_${n}`, status: 'authorized', payments: [{ id: `pay_${n}`, captured_at: null, refunds: [] }] },
    ],
  });
  const graph = async ({
    entity,
    filters,
  }: {
    entity: string;
    filters: Record<string, unknown>;
  }): Promise<{ data: unknown }> => {
    const id = String(filters['id']);
    const found =
      entity === 'order'
        ? orders.get(id)
        : { payment_collection: { order: { id: id.replace('pay_', 'order_') } } };
    return { data: found ? [found] : [] };
  };
  const provider = medusa({
    query: { graph },
    events: {
      subscribe: (name, handler) => {
        handlers.set(name, handler);
      },
    },
  });
  const names = { created: 'order.placed', paid: 'payment.captured', refunded: 'payment.refunded' } as const;
  return {
    provider,
    tell: async (event, order) => {
      const stored = orders.get(`order_${order.n}`) ?? orderOf(order);
      const [payment] = (
        stored['payment_collections'] as { payments: { captured_at: string | null; refunds: object[] }[] }[]
      )[0]!.payments;
      if (event !== 'created') payment!.captured_at = '2026-01-15T15:01:00Z';
      if (event === 'refunded') payment!.refunds = [{ id: `ref_${order.n}`, amount: 57 }];
      orders.set(`order_${order.n}`, stored);
      await handlers.get(names[event])?.({
        data: { id: event === 'created' ? `order_${order.n}` : `pay_${order.n}` },
      });
    },
  };
}
