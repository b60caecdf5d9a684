import { invoice, session, shopifyOrder, shopifyRefund, wooOrder } from './shop-payloads.js';

// What shops send, step by step, and the commission after each step, worked out by hand.
// Rate 20 % of the goods after discount without tax, unless `config` says otherwise;
// `n` makes the ids of one story.

/** Everything a story needs of the run it is part of. */
export interface Teller {
  readonly token: string;
  readonly n: number;
  /** Epoch milliseconds of the step. */
  readonly at: number;
}
export interface Step {
  /** The vendor's event or topic. */
  readonly topic: string;
  readonly body: (teller: Teller) => object;
  readonly gives: readonly [status: string, amount: number, adjusted?: number];
  /** Everything payable is paid out after the step. */
  readonly paidOut?: true;
}
export interface Story {
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

const seconds = (at: number): number => Math.floor(at / 1000);
const iso = (at: number): string => new Date(at).toISOString().slice(0, 19);

// ── Stripe ──

const checkout =
  (more: object): Step['body'] =>
  ({ token, n, at }) =>
    session({
      id: `cs_${n}`,
      payment_intent: `pi_${n}`,
      created: seconds(at),
      client_reference_id: token,
      customer: `cus_${n}`,
      customer_details: { email: `b${n}@buyer.test` },
      discounts: [],
      ...more,
    });
const ofCharge =
  (more: object): Step['body'] =>
  ({ n }) => ({ charge: `ch_${n}`, payment_intent: `pi_${n}`, currency: 'usd', ...more });
const charge =
  (refunded: number, more: object = {}): Step['body'] =>
  ({ n }) => ({
    id: `ch_${n}`,
    object: 'charge',
    payment_intent: `pi_${n}`,
    currency: 'usd',
    amount_refunded: refunded,
    ...more,
  });
const refund = (id: string, amount: number, more: object = {}): Step['body'] => {
  const made = ofCharge({ amount, status: 'succeeded', ...more });
  return (teller) => ({ id: `${id}_${teller.n}`, object: 'refund', ...made(teller) });
};
const dispute = (status: string): Step['body'] => {
  const made = ofCharge({ status });
  return (teller) => ({ id: `dp_${teller.n}`, object: 'dispute', ...made(teller) });
};

/** 100.00 and 19 % tax on top. */
const plain = checkout({
  amount_subtotal: 10_000,
  amount_total: 11_900,
  total_details: { amount_tax: 1900, amount_discount: 0 },
  shipping_cost: null,
});
/** A price of 119.00 that contains 19 % tax; 10 % off: 107.10, of which 17.10 are tax and 90.00 net. */
const inclusive = checkout({
  amount_subtotal: 11_900,
  amount_total: 10_710,
  total_details: { amount_tax: 1710, amount_discount: 1190 },
  shipping_cost: null,
});
const completed = 'checkout.session.completed';

export const STRIPE_STORIES: readonly Story[] = [
  {
    // 11.90 off contains 1.90 tax: 90.00 + 10.00 = 100.00, 20 % = 20.00.
    name: 'row 19: inclusive tax, 10 % off, commission before the discount',
    config: { exclude_discount: 'no' },
    steps: [{ topic: completed, body: inclusive, gives: ['unpaid', 20] }],
  },
  {
    // 20 % of 90.00; half of 107.10 goes back.
    name: 'inclusive tax, 10 % off, commission after it, half refunded',
    steps: [
      { topic: completed, body: inclusive, gives: ['unpaid', 18] },
      { topic: 'refund.created', body: refund('re_a', 5355), gives: ['unpaid', 9] },
    ],
  },
  {
    // 119.00 charged: 29.75 back leave 3/4, 59.50 in all 1/2; the second one fails later.
    name: 'exclusive tax, two refunds by amount, one of which fails',
    steps: [
      { topic: completed, body: plain, gives: ['unpaid', 20] },
      { topic: 'refund.created', body: refund('re_a', 2975), gives: ['unpaid', 15] },
      { topic: 'refund.created', body: refund('re_b', 2975), gives: ['unpaid', 10] },
      { topic: 'refund.failed', body: refund('re_b', 2975, { status: 'failed' }), gives: ['unpaid', 15] },
    ],
  },
  {
    name: 'a dispute that is lost after the payout',
    steps: [
      { topic: completed, body: plain, gives: ['paid', 20], paidOut: true },
      { topic: 'charge.dispute.created', body: dispute('needs_response'), gives: ['paid', 20] },
      { topic: 'charge.dispute.closed', body: dispute('lost'), gives: ['paid', 20, -20] },
    ],
  },
  {
    name: 'a dispute that is won',
    steps: [
      { topic: completed, body: plain, gives: ['unpaid', 20] },
      { topic: 'charge.dispute.created', body: dispute('needs_response'), gives: ['pending', 20] },
      { topic: 'charge.dispute.closed', body: dispute('won'), gives: ['unpaid', 20] },
    ],
  },
  {
    // 10 000 yen have no smaller unit: 2 000, and a quarter of 11 000 back leaves 1 500.
    name: 'a currency without decimals',
    steps: [
      {
        topic: completed,
        body: checkout({
          currency: 'jpy',
          amount_subtotal: 10_000,
          amount_total: 11_000,
          total_details: { amount_tax: 1000, amount_discount: 0 },
          shipping_cost: null,
        }),
        gives: ['unpaid', 2000],
      },
      { topic: 'refund.created', body: refund('re_a', 2750, { currency: 'jpy' }), gives: ['unpaid', 1500] },
    ],
  },
  {
    // 10.005 dinars: 20 % = 2.001; 3.335 back leave two thirds: 1.334.
    name: 'a currency with three decimals',
    steps: [
      {
        topic: completed,
        body: checkout({
          currency: 'kwd',
          amount_subtotal: 10_005,
          amount_total: 10_005,
          total_details: { amount_tax: 0, amount_discount: 0 },
          shipping_cost: null,
        }),
        gives: ['unpaid', 2.001],
      },
      { topic: 'refund.created', body: refund('re_a', 3335, { currency: 'kwd' }), gives: ['unpaid', 1.334] },
    ],
  },
  {
    // Two lines of 60.00 and 30.00 net with 20 % tax: the second goes back whole, 20 % of 60.00 stay.
    name: 'an invoice, a credit note for one of its lines',
    steps: [
      {
        topic: 'invoice.paid',
        body: ({ token, n, at }) =>
          invoice({
            id: `in_${n}`,
            billing_reason: 'manual',
            created: seconds(at),
            customer: `cus_${n}`,
            customer_email: `b${n}@buyer.test`,
            discounts: [],
            total_discount_amounts: [],
            parent: { subscription_details: { subscription: null, metadata: { fa_ref: token } } },
            lines: {
              data: [line('il_a', 6000, 1200), line('il_b', 3000, 600)],
            },
          }),
        gives: ['unpaid', 18],
      },
      {
        topic: 'credit_note.created',
        body: ({ n }) => ({
          id: `cn_${n}`,
          object: 'credit_note',
          invoice: `in_${n}`,
          currency: 'usd',
          total: 3600,
          refunds: [],
          lines: {
            data: [
              {
                invoice_line_item: 'il_b',
                amount: 3000,
                discount_amounts: [],
                taxes: [{ amount: 600, tax_behavior: 'exclusive' }],
              },
            ],
          },
        }),
        gives: ['unpaid', 12],
      },
      {
        topic: 'credit_note.voided',
        body: ({ n }) => ({
          id: `cn_${n}`,
          object: 'credit_note',
          invoice: `in_${n}`,
          currency: 'usd',
          total: 3600,
          refunds: [],
        }),
        gives: ['unpaid', 18],
      },
    ],
  },
];

function line(id: string, amount: number, tax: number): object {
  return {
    id,
    description: id,
    quantity: 1,
    amount,
    discount_amounts: [],
    taxes: [{ amount: tax, tax_behavior: 'exclusive' }],
  };
}

/** Of an account that subscribes to `charge.refunded` alone, and then to `refund.*` too. */
export const STRIPE_CHARGES: readonly Story[] = [
  {
    // The total so far: 29.75, then 59.50 of 119.00.
    name: '`charge.refunded` alone is everything refunded so far',
    steps: [
      { topic: completed, body: plain, gives: ['unpaid', 20] },
      { topic: 'charge.refunded', body: charge(2975), gives: ['unpaid', 15] },
      { topic: 'charge.refunded', body: charge(5950), gives: ['unpaid', 10] },
      { topic: 'charge.refunded', body: charge(2975), gives: ['unpaid', 10] },
    ],
  },
  {
    name: '`charge.refunded` beside `refund.*` counts no more',
    steps: [
      { topic: completed, body: plain, gives: ['unpaid', 20] },
      { topic: 'charge.refunded', body: charge(11_900), gives: ['rejected', 0] },
      { topic: 'refund.created', body: refund('re_a', 2975), gives: ['unpaid', 15] },
      { topic: 'charge.refunded', body: charge(11_900), gives: ['unpaid', 15] },
    ],
  },
];

// ── WooCommerce ──

const woo =
  (more: object = {}): Step['body'] =>
  ({ token, n, at }) =>
    wooOrder({
      id: 700 + n,
      number: String(700 + n),
      date_created_gmt: iso(at),
      date_modified_gmt: iso(at),
      date_paid_gmt: iso(at),
      billing: { email: `b${n}@buyer.test` },
      transaction_id: `txn_${n}`,
      meta_data: [{ key: 'fa_ref', value: token }],
      ...more,
    });
const updated = 'order.updated';
const wooTotals = (currency: string, net: string, tax: string, total: string): object => ({
  currency,
  discount_total: '0',
  shipping_total: '0',
  shipping_tax: '0',
  cart_tax: tax,
  total,
  coupon_lines: [],
  line_items: [{ id: 1, product_id: 93, quantity: 1, subtotal: net, total: net, total_tax: tax }],
});

export const WOO_STORIES: readonly Story[] = [
  {
    // Lines never contain tax, whatever the shop shows: 90.00 net of 114.00. 57.00 back: half.
    // 85.50: a quarter stays.
    name: 'prices with tax, two refunds, one of which is deleted, then all of it',
    steps: [
      { topic: updated, body: woo(), gives: ['unpaid', 18] },
      { topic: updated, body: woo({ refunds: [{ id: 1, total: '-57.00' }] }), gives: ['unpaid', 9] },
      {
        topic: updated,
        body: woo({
          refunds: [
            { id: 1, total: '-57.00' },
            { id: 2, total: '-28.50' },
          ],
        }),
        gives: ['unpaid', 4.5],
      },
      { topic: updated, body: woo({ refunds: [{ id: 2, total: '-28.50' }] }), gives: ['unpaid', 13.5] },
      { topic: updated, body: woo({ status: 'refunded', refunds: [] }), gives: ['rejected', 0] },
    ],
  },
  {
    name: 'a refund after the payout, deleted again',
    steps: [
      { topic: updated, body: woo(), gives: ['paid', 18], paidOut: true },
      { topic: updated, body: woo({ refunds: [{ id: 1, total: '-57.00' }] }), gives: ['paid', 18, -9] },
      { topic: updated, body: woo({ number: 'again', refunds: [] }), gives: ['paid', 18] },
    ],
  },
  {
    // 1 000 yen: 200. 275 of 1 100 back: three quarters stay.
    name: 'a currency without decimals',
    steps: [
      { topic: updated, body: woo(wooTotals('JPY', '1000', '100', '1100')), gives: ['unpaid', 200] },
      {
        topic: updated,
        body: woo({ ...wooTotals('JPY', '1000', '100', '1100'), refunds: [{ id: 1, total: '-275' }] }),
        gives: ['unpaid', 150],
      },
    ],
  },
  {
    // 20 % of 9.995 = 1.999; a tenth back: 1.7991, rounded once.
    name: 'a currency with three decimals',
    steps: [
      { topic: updated, body: woo(wooTotals('KWD', '9.995', '0', '9.995')), gives: ['unpaid', 1.999] },
      {
        topic: updated,
        body: woo({ ...wooTotals('KWD', '9.995', '0', '9.995'), refunds: [{ id: 1, total: '-0.9995' }] }),
        gives: ['unpaid', 1.799],
      },
    ],
  },
];

// ── Shopify ──

const set = (amount: string, currency = 'USD'): object => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount: '1.00', currency_code: 'EUR' },
});
const goods = (id: number, price: string, tax: string, currency = 'USD'): object => ({
  id,
  product_id: id,
  title: 'Mug',
  quantity: 1,
  price_set: set(price, currency),
  gift_card: false,
  discount_allocations: [],
  tax_lines: [{ price_set: set(tax, currency) }],
});
const shop =
  (lines: readonly object[], total: string, more: { currency?: string } & object = {}): Step['body'] =>
  ({ token, n, at }) =>
    shopifyOrder({
      admin_graphql_api_id: `gid://shopify/Order/${9000 + n}`,
      created_at: new Date(at).toISOString(),
      email: `b${n}@buyer.test`,
      customer: { id: n },
      note_attributes: [{ name: 'fa_ref', value: token }],
      checkout_token: `chk_${n}`,
      cart_token: `crt_${n}`,
      confirmation_number: `C${n}`,
      discount_codes: [],
      shipping_lines: [],
      line_items: lines,
      total_price_set: set(total, more.currency),
      ...more,
    });
const back =
  (id: number, amount: string, more: object = {}, currency = 'USD'): Step['body'] =>
  ({ n }) =>
    JSON.parse(
      shopifyRefund({
        id,
        order_id: 9000 + n,
        refund_line_items: [],
        transactions: [{ kind: 'refund', status: 'success', currency, amount_set: set(amount, currency) }],
        ...more,
      }),
    ) as object;
const discrepancy = (amount: string, tax: string): object => ({
  kind: 'refund_discrepancy',
  amount_set: set(amount),
  tax_amount_set: set(tax),
});
const disputed =
  (status: string): Step['body'] =>
  ({ n }) => ({ id: 40 + n, order_id: 9000 + n, type: 'chargeback', status });

export const SHOPIFY_STORIES: readonly Story[] = [
  {
    // 119.00 contain 19.00 tax: 100.00 net, 20.00. 59.50 of 119.00 back without any line: half.
    name: 'row 18: prices with tax, half paid back as an adjustment',
    steps: [
      {
        topic: 'orders/paid',
        body: shop([goods(1, '119.00', '19.00')], '119.00', { taxes_included: true } as object),
        gives: ['unpaid', 20],
      },
      {
        topic: 'refunds/create',
        body: back(1, '59.50', { order_adjustments: [discrepancy('-59.50', '0.00')] }),
        gives: ['unpaid', 10],
      },
    ],
  },
  {
    // The line is named, but only 59.50 of its 119.00 went back.
    name: 'row 18: the same with the line named and a difference',
    steps: [
      {
        topic: 'orders/paid',
        body: shop([goods(1, '119.00', '19.00')], '119.00', { taxes_included: true } as object),
        gives: ['unpaid', 20],
      },
      {
        topic: 'refunds/create',
        body: back(1, '59.50', {
          refund_line_items: [{ line_item_id: 1, subtotal_set: set('119.00'), total_tax_set: set('19.00') }],
          order_adjustments: [discrepancy('59.50', '0.00')],
        }),
        gives: ['unpaid', 10],
      },
    ],
  },
  {
    // 60.00 and 40.00 with 10 % tax on top; the line of 40.00 goes back, then the rest.
    name: 'exclusive tax, one line, then everything',
    steps: [
      {
        topic: 'orders/paid',
        body: shop([goods(1, '60.00', '6.00'), goods(2, '40.00', '4.00')], '110.00'),
        gives: ['unpaid', 20],
      },
      {
        topic: 'refunds/create',
        body: back(1, '44.00', {
          refund_line_items: [{ line_item_id: 2, subtotal_set: set('40.00'), total_tax_set: set('4.00') }],
        }),
        gives: ['unpaid', 12],
      },
      { topic: 'refunds/create', body: back(2, '66.00'), gives: ['rejected', 0] },
    ],
  },
  {
    name: 'a chargeback, lost and won',
    steps: [
      { topic: 'orders/paid', body: shop([goods(1, '100.00', '0.00')], '100.00'), gives: ['unpaid', 20] },
      { topic: 'disputes/create', body: disputed('needs_response'), gives: ['pending', 20] },
      { topic: 'disputes/update', body: disputed('lost'), gives: ['rejected', 20] },
      { topic: 'disputes/update', body: disputed('won'), gives: ['unpaid', 20] },
    ],
  },
  {
    name: 'currencies with no and with three decimals: no decimals',
    steps: [
      {
        topic: 'orders/paid',
        body: shop([goods(1, '1005', '0', 'JPY')], '1005', { currency: 'JPY' }),
        gives: ['unpaid', 201],
      },
      // 335 of 1 005 back: two thirds stay.
      { topic: 'refunds/create', body: back(1, '335', {}, 'JPY'), gives: ['unpaid', 134] },
    ],
  },
  {
    name: 'currencies with no and with three decimals: three',
    steps: [
      {
        topic: 'orders/paid',
        body: shop([goods(1, '10.005', '0', 'KWD')], '10.005', { currency: 'KWD' }),
        gives: ['unpaid', 2.001],
      },
      { topic: 'refunds/create', body: back(1, '3.335', {}, 'KWD'), gives: ['unpaid', 1.334] },
    ],
  },
];

// ── Medusa ──

const medusaOrder =
  (more: object = {}, refunds: readonly object[] = []): Step['body'] =>
  ({ token, n, at }) => ({
    id: `order_${n}`,
    display_id: n,
    currency_code: 'usd',
    email: `b${n}@buyer.test`,
    created_at: new Date(at).toISOString(),
    updated_at: new Date(at).toISOString(),
    metadata: { fa_ref: token },
    total: 119,
    items: [
      {
        id: 'i1',
        product_id: 'p1',
        title: 'Mug',
        quantity: 1,
        subtotal: 100,
        discount_subtotal: 0,
        tax_total: 19,
      },
    ],
    shipping_methods: [],
    payment_collections: [
      { id: `pc_${n}`, status: 'completed', payments: [{ id: `pay_${n}`, captured_at: iso(at), refunds }] },
    ],
    ...more,
  });

/** Bodies are what the query answers; the event itself is an id only. */
export const MEDUSA_STORIES: readonly Story[] = [
  {
    name: 'refunds by amount, then all of it',
    steps: [
      { topic: 'payment.captured', body: medusaOrder(), gives: ['unpaid', 20] },
      {
        topic: 'payment.refunded',
        body: medusaOrder({}, [{ id: 'r1', amount: 29.75 }]),
        gives: ['unpaid', 15],
      },
      {
        topic: 'payment.refunded',
        body: medusaOrder({}, [
          { id: 'r1', amount: 29.75 },
          { id: 'r2', amount: { value: '89.25' } },
        ]),
        gives: ['rejected', 0],
      },
    ],
  },
  {
    // 1 000 yen of goods: 200; half back.
    name: 'a currency without decimals',
    steps: [
      { topic: 'payment.captured', body: medusaOrder(yen()), gives: ['unpaid', 200] },
      {
        topic: 'payment.refunded',
        body: medusaOrder(yen(), [{ id: 'r1', amount: 550 }]),
        gives: ['unpaid', 100],
      },
    ],
  },
];

function yen(): object {
  return {
    currency_code: 'jpy',
    total: 1100,
    items: [{ id: 'i1', product_id: 'p1', title: 'Mug', quantity: 1, subtotal: 1000, tax_total: 100 }],
  };
}
