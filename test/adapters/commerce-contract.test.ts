import { createHmac } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { commerceContract, type CommerceSubject } from '../../adapters/contract/index.js';
import { shopify, standardProvider, stripe, woo } from '../../adapters/index.js';
import { order } from '../support/commerce.js';
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

const base64 = (key: string | Buffer, ...parts: (string | Buffer)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest('base64');
const TOTALS = {
  goods: 9000,
  goods_before_discount: 10000,
  goods_tax: 1800,
  shipping: 500,
  shipping_tax: 100,
  grand_total: 11400,
  paid: 11400,
};
const WITH_INCLUDED = {
  taxes_included: true,
  line_items: [
    {
      id: 1,
      product_id: 2,
      title: 'Mug',
      quantity: 1,
      price: '118.00',
      discount_allocations: [{ amount: '10.00' }],
      tax_lines: [{ price: '18.00' }],
    },
  ],
  shipping_lines: [{ discounted_price: '6.00', tax_lines: [{ price: '1.00' }] }],
};

const SUBJECTS: Readonly<Record<string, CommerceSubject>> = {
  stripe: {
    provider: (secrets) => stripe({ secrets }),
    secrets: ['whsec_one', 'whsec_two'],
    signatureHeader: 'Stripe-Signature',
    status: 400,
    timed: true,
    sign: (body, secret, now) => {
      const seconds = Math.floor(now / 1000);
      const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
      return { 'Stripe-Signature': `t=${seconds},v0=00,v1=${signature}` };
    },
    unknown: { name: 'unknown', body: stripeEvent('customer.created', { id: 'cus_1' }) },
    fixtures: [
      {
        name: 'Checkout session',
        body: stripeEvent('checkout.session.completed', session()),
        required: ['data.object.currency'],
        expected: [
          {
            type: 'order.paid',
            at: 1_700_000_000_000,
            test: false,
            order: {
              id: 'pi_1',
              refs: ['cs_1'],
              currency: 'USD',
              totals: TOTALS,
              coupons: [{ id: 'promo_1', discount: 1000 }],
              attribution: { token: 'token' },
              customer: { email: 'jo@buyer.test' },
            },
          },
        ],
      },
      {
        name: 'invoice',
        body: stripeEvent('invoice.paid', invoice()),
        required: ['data.object.currency'],
        expected: [
          {
            type: 'order.paid',
            order: {
              id: 'in_1',
              totals: { goods: 9000, goods_before_discount: 10000, goods_tax: 1800, grand_total: 10800 },
              items: [{ id: 'il_1', product_id: 'prod_1', net: 9000, tax: 1800 }],
              subscription: { id: 'sub_1', phase: 'first' },
            },
          },
        ],
      },
      {
        name: 'older invoice',
        body: stripeEvent(
          'invoice.paid',
          invoice({
            parent: undefined,
            subscription: 'sub_1',
            total_taxes: undefined,
            tax: 1800,
            total_excluding_tax: undefined,
            billing_reason: 'subscription_cycle',
            lines: {
              data: [
                {
                  id: 'il_1',
                  amount: 9000,
                  tax_amounts: [{ amount: 1800, inclusive: false }],
                  price: { product: 'prod_1' },
                },
              ],
            },
          }),
        ),
        required: ['data.object.currency'],
        expected: [
          {
            type: 'subscription.renewed',
            order: {
              items: [{ product_id: 'prod_1' }],
              totals: { goods: 9000, goods_tax: 1800 },
              subscription: { id: 'sub_1', phase: 'renewal' },
            },
          },
        ],
      },
      {
        name: 'subscription session',
        body: stripeEvent(
          'checkout.session.completed',
          session({ mode: 'subscription', invoice: 'in_1', subscription: 'sub_1' }),
        ),
        required: ['data.object.currency'],
        expected: [{ type: 'order.attributed', order: { id: 'in_1', subscription: { id: 'sub_1' } } }],
      },
      {
        name: 'ISK',
        body: stripeEvent(
          'checkout.session.completed',
          session({ currency: 'isk', amount_total: 150000, total_details: {}, shipping_cost: null }),
        ),
        required: ['data.object.currency'],
        expected: [{ order: { totals: { goods: 1500, grand_total: 1500 } } }],
      },
      {
        name: 'converted',
        body: stripeEvent(
          'checkout.session.completed',
          session({
            currency: 'eur',
            amount_total: 20000,
            total_details: {},
            shipping_cost: null,
            currency_conversion: {
              source_currency: 'usd',
              amount_total: 22000,
              amount_subtotal: 22000,
              fx_rate: '0.909',
            },
          }),
        ),
        required: ['data.object.currency', 'data.object.currency_conversion.source_currency'],
        expected: [{ order: { currency: 'USD', totals: { grand_total: 22000 } } }],
      },
      {
        name: 'refund',
        body: stripeEvent('refund.created', {
          id: 're_1',
          charge: 'ch_1',
          payment_intent: 'pi_1',
          amount: 5400,
          currency: 'usd',
          status: 'succeeded',
        }),
        required: ['data.object.currency'],
        expected: [
          {
            type: 'order.refunded',
            refund: { order_ref: 'pi_1', refund_id: 're_1', gross: 5400, state: 'done' },
          },
        ],
      },
      {
        name: 'credit note',
        body: stripeEvent('credit_note.created', {
          id: 'cn_1',
          invoice: 'in_1',
          currency: 'usd',
          total: 5400,
          refunds: [{ refund: 're_1', amount_refunded: 5400 }],
          lines: {
            data: [
              {
                invoice_line_item: 'il_1',
                amount: 4500,
                taxes: [{ amount: 900, tax_behavior: 'exclusive' }],
              },
            ],
          },
        }),
        required: ['data.object.currency'],
        expected: [
          {
            refund: {
              order_ref: 'in_1',
              refund_id: 're_1',
              gross: 5400,
              items: [{ item_id: 'il_1', net: 4500, tax: 900 }],
            },
          },
        ],
      },
      {
        name: 'credit to the balance',
        body: stripeEvent('credit_note.created', {
          id: 'cn_1',
          invoice: 'in_1',
          currency: 'usd',
          total: 5400,
          refunds: [{ refund: 're_1', amount_refunded: 5000 }],
        }),
        required: ['data.object.currency'],
        expected: [
          { refund: { refund_id: 're_1', gross: 5000 } },
          { refund: { refund_id: 'cn_1', gross: 400 } },
        ],
      },
      {
        name: 'payment of an invoice',
        body: stripeEvent('invoice_payment.paid', {
          invoice: 'in_1',
          payment: { type: 'payment_intent', payment_intent: 'pi_1' },
        }),
        expected: [{ type: 'order.linked', order_ref: 'in_1', refs: ['pi_1'] }],
      },
      {
        name: 'dispute',
        body: stripeEvent('charge.dispute.closed', {
          id: 'dp_1',
          charge: 'ch_1',
          payment_intent: 'pi_1',
          status: 'prevented',
        }),
        expected: [{ type: 'dispute.lost', order_ref: 'pi_1', dispute_id: 'dp_1' }],
      },
      {
        name: 'inquiry',
        body: stripeEvent('charge.dispute.created', {
          id: 'dp_1',
          charge: 'ch_1',
          status: 'warning_needs_response',
        }),
        expected: [{ type: 'dispute.opened', inquiry: true }],
      },
      {
        name: 'fraud warning',
        body: stripeEvent('radar.early_fraud_warning.created', {
          id: 'issfr_1',
          charge: 'ch_1',
          payment_intent: 'pi_1',
          actionable: true,
        }),
        expected: [{ type: 'dispute.opened' }],
      },
      {
        name: 'voided invoice',
        body: stripeEvent('invoice.voided', invoice()),
        required: ['data.object.currency'],
        expected: [{ type: 'order.canceled', order_ref: 'in_1', reason: 'voided' }],
      },
      {
        name: 'thin event',
        body: { id: 'evt_2', object: 'v2.core.event', type: 'invoice.paid' },
        expected: [],
      },
    ],
  },
  woo: {
    provider: (secrets) => woo({ secrets, stores: ['https://woo.test'] }),
    secrets: ['s3cr3t-of-woo', 'another-one'],
    signatureHeader: 'X-WC-Webhook-Signature',
    status: 401,
    timed: false,
    sign: (body, secret) => ({ 'X-WC-Webhook-Signature': base64(secret, body) }),
    unknown: {
      name: 'unknown',
      body: { action: 'woocommerce_add_to_cart', arg: 1 },
      headers: wooHeaders('action.woocommerce_add_to_cart'),
    },
    fixtures: [
      {
        name: 'paid',
        body: wooOrder(),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [
          {
            type: 'order.paid',
            account: 'https://woo.test',
            at: Date.UTC(2026, 0, 15, 14, 1),
            order: {
              id: '727',
              refs: ['txn_9'],
              totals: TOTALS,
              items: [{ id: '315', product_id: '93', net: 9000, tax: 1800 }],
              coupons: [{ code: 'SUMMER', discount: 1000 }],
              attribution: { token: 'token' },
              refunds: [],
            },
          },
        ],
      },
      {
        name: 'on hold',
        body: wooOrder({ status: 'on-hold', date_paid_gmt: null }),
        headers: wooHeaders('order.created'),
        required: ['currency'],
        expected: [{ type: 'order.created' }],
      },
      {
        name: 'draft',
        body: wooOrder({ status: 'checkout-draft' }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [],
      },
      {
        name: 'refunded in part',
        body: wooOrder({ refunds: [{ id: 900, reason: '', total: '-54.00' }] }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ order: { refunds: [{ refund_id: '900', gross: 5400 }] } }],
      },
      {
        name: 'refunded',
        body: wooOrder({ status: 'refunded' }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ type: 'order.refunded', refund: { order_ref: '727', gross: 11400 } }],
      },
      {
        name: 'canceled',
        body: wooOrder({ status: 'cancelled' }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ type: 'order.canceled', reason: 'canceled' }],
      },
      {
        name: 'deleted',
        body: { id: 727 },
        headers: wooHeaders('order.deleted'),
        expected: [{ type: 'order.canceled', order_ref: '727', reason: 'deleted' }],
      },
      {
        name: 'renewal',
        body: wooOrder({ meta_data: [{ key: '_subscription_renewal', value: '50' }] }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ type: 'subscription.renewed', order: { subscription: { id: 'subscription:50' } } }],
      },
      {
        name: 'subscription',
        body: { id: 50, parent_id: 727 },
        headers: wooHeaders('subscription.created'),
        expected: [{ type: 'order.linked', order_ref: '727', refs: ['subscription:50'] }],
      },
      {
        name: 'negative fee',
        body: wooOrder({ total: '102.00', fee_lines: [{ total: '-10.00', total_tax: '-2.00' }] }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ order: { totals: { goods: 8000, goods_tax: 1600, grand_total: 10200, fees: 0 } } }],
      },
      {
        name: 'made by staff',
        body: wooOrder({ created_via: 'admin' }),
        headers: wooHeaders(),
        required: ['currency'],
        expected: [{ order: { created_by_staff: true } }],
      },
      {
        name: 'another shop',
        body: wooOrder(),
        headers: { ...wooHeaders(), 'X-WC-Webhook-Source': 'https://evil.test/' },
        expected: [],
      },
    ],
  },
  shopify: {
    provider: (secrets) => shopify({ secrets }),
    secrets: ['hush-hush', 'another-one'],
    signatureHeader: 'X-Shopify-Hmac-Sha256',
    status: 401,
    timed: false,
    sign: (body, secret) => ({ 'X-Shopify-Hmac-Sha256': base64(secret, body) }),
    unknown: { name: 'unknown', body: { id: 1 }, headers: shopifyHeaders('products/update') },
    fixtures: [
      {
        name: 'paid',
        body: shopifyOrder(),
        headers: shopifyHeaders(),
        required: ['currency'],
        expected: [
          {
            type: 'order.paid',
            account: 'demo.myshopify.com',
            at: Date.UTC(2026, 0, 15, 14, 0, 10),
            test: false,
            order: {
              id: '820982911946154508',
              number: '#1001',
              refs: ['chk', 'crt', 'CONF'],
              totals: TOTALS,
              coupons: [{ code: 'SUMMER', discount: 1000 }],
              attribution: { token: 'token', landing_url: '/?ref=1' },
            },
          },
        ],
      },
      {
        name: 'prices with tax',
        body: shopifyOrder(WITH_INCLUDED),
        headers: shopifyHeaders(),
        required: ['currency'],
        expected: [{ order: { totals: { goods: 9000, goods_tax: 1800 } } }],
      },
      {
        name: 'pending',
        body: shopifyOrder({ financial_status: 'pending' }),
        headers: shopifyHeaders('orders/create'),
        required: ['currency'],
        expected: [{ type: 'order.created' }],
      },
      {
        name: 'gift card',
        body: shopifyOrder({
          line_items: [
            { id: 1, quantity: 1, price: '90.00', gift_card: true, tax_lines: [{ price: '18.00' }] },
          ],
        }),
        headers: shopifyHeaders(),
        required: ['currency'],
        expected: [{ order: { items: [{ commissionable: false, net: 9000 }] } }],
      },
      {
        name: 'draft order of staff',
        body: shopifyOrder({ source_name: 'shopify_draft_order' }),
        headers: shopifyHeaders(),
        required: ['currency'],
        expected: [{ order: { created_by_staff: true } }],
      },
      {
        name: 'canceled',
        body: shopifyOrder({ cancelled_at: '2026-01-16T00:00:00Z' }),
        headers: shopifyHeaders('orders/cancelled'),
        required: ['currency'],
        expected: [{ type: 'order.canceled', order_ref: '820982911946154508' }],
      },
      {
        name: 'refund',
        body: shopifyRefund(),
        headers: shopifyHeaders('refunds/create'),
        required: ['transactions.0.amount_set.shop_money.currency_code'],
        expected: [
          {
            type: 'order.refunded',
            refund: {
              order_ref: '820982911946154508',
              refund_id: '509562969',
              gross: 5400,
              items: [{ item_id: '866', net: 4500, tax: 900 }],
            },
          },
        ],
      },
      {
        name: 'refund of prices with tax',
        body: shopifyRefund({
          refund_line_items: [{ line_item_id: 866, subtotal: '54.00', total_tax: '9.00' }],
        }),
        headers: shopifyHeaders('refunds/create'),
        expected: [{ refund: { items: [{ net: 4500, tax: 900 }] } }],
      },
      {
        name: 'restock',
        body: shopifyRefund({ transactions: [] }),
        headers: shopifyHeaders('refunds/create'),
        expected: [],
      },
      {
        name: 'instalment',
        body: shopifyOrder({ source_name: 'subscription_contract_checkout_one' }),
        headers: shopifyHeaders(),
        required: ['currency'],
        expected: [{ type: 'subscription.renewed' }],
      },
      {
        name: 'contract',
        body: {
          admin_graphql_api_id: 'gid://shopify/SubscriptionContract/9',
          origin_order_id: '820982911946154508',
        },
        headers: shopifyHeaders('subscription_contracts/create'),
        expected: [{ type: 'order.linked', order_ref: '820982911946154508', refs: ['contract:9'] }],
      },
      {
        name: 'billing attempt',
        body: { subscription_contract_id: 9, admin_graphql_api_order_id: 'gid://shopify/Order/77' },
        headers: shopifyHeaders('subscription_billing_attempts/success'),
        expected: [{ type: 'order.linked', order_ref: 'contract:9', refs: ['77'] }],
      },
      {
        name: 'chargeback',
        body: { id: 1, order_id: 5, type: 'chargeback', status: 'lost' },
        headers: shopifyHeaders('disputes/update'),
        expected: [{ type: 'dispute.lost', order_ref: '5' }],
      },
      {
        name: 'redaction',
        body: { customer: { id: 1, email: 'jo@buyer.test' } },
        headers: shopifyHeaders('customers/redact'),
        expected: [{ type: 'customer.erase', email: 'jo@buyer.test' }],
      },
    ],
  },
  standard: {
    provider: (secrets) => standardProvider({ key: 'own', secrets }),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    signatureHeader: 'webhook-signature',
    status: 400,
    timed: true,
    sign: (body, secret, now) => {
      const [id, seconds] = ['msg_1', `${Math.floor(now / 1000)}`];
      return {
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${base64(Buffer.from(secret.slice(6), 'base64'), `${id}.${seconds}.`, body)}`,
      };
    },
    unknown: { name: 'unknown', body: { type: 'stock.changed' } },
    fixtures: [
      {
        name: 'paid',
        body: {
          type: 'order.paid',
          at: 1_700_000_000_000,
          order: order({ attribution: { token: 'token' }, coupons: [{ code: 'SUMMER', discount: '10.00' }] }),
        },
        required: [
          'order',
          'order.id',
          'order.currency',
          'order.totals',
          'order.totals.goods',
          'order.items.0.net',
        ],
        expected: [
          { type: 'order.paid', order: { id: 'A-1', totals: TOTALS, attribution: { token: 'token' } } },
        ],
      },
      {
        name: 'refund',
        body: {
          type: 'order.refunded',
          refund: { order_ref: 'A-1', refund_id: 'r1', gross: '5.4', currency: 'KWD' },
        },
        required: ['refund', 'refund.order_ref', 'refund.currency', 'refund.gross'],
        expected: [{ at: 1_700_000_000_000, refund: { gross: 5400, state: 'done' } }],
      },
      {
        name: 'lead',
        body: { type: 'lead.created', lead: { id: 'L1', kind: 'lead', customer: { email: 'a@b.test' } } },
        required: ['lead', 'lead.id'],
        expected: [{ type: 'lead.created', lead: { id: 'L1' } }],
      },
    ],
  },
};

for (const [name, subject] of Object.entries(SUBJECTS)) commerceContract({ describe, it }, name, subject);
