import { describe, expect, it } from '@jest/globals';
import { stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider, Delivery, ProviderEvent } from '../../adapters/commerce.js';
import { invoice, session, stripeEvent, wooHeaders, wooOrder } from '../support/shop-payloads.js';

interface Asked {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly redirect: unknown;
}

/** The host's fetch, answering by address. */
function shop(answers: Readonly<Record<string, unknown>>): { fetch: typeof fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    fetch: async (input, init) => {
      const { pathname, search, href } = input as URL;
      asked.push({ url: href, headers: init?.headers as Record<string, string>, redirect: init?.redirect });
      const body = answers[pathname + search];
      return body === undefined
        ? new Response('{}', { status: 404 })
        : typeof body === 'number'
          ? new Response('', { status: body })
          : new Response(JSON.stringify(body));
    },
  };
}
const delivery = (json: unknown, headers: Readonly<Record<string, string>> = {}): Delivery => {
  const known = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { body: Buffer.from(JSON.stringify(json)), json, header: (name) => known.get(name) };
};
const enriched = async ({ webhook }: CommerceProvider, given: Delivery): Promise<ProviderEvent> =>
  webhook!.enrich!(webhook!.parse(given)[0]!);

describe('asking Stripe', () => {
  const lines = {
    data: [
      {
        id: 'li_1',
        description: 'Mug',
        quantity: 2,
        amount_total: 10_800,
        amount_tax: 1800,
        amount_discount: 1000,
        price: { product: 'prod_1' },
      },
    ],
  };
  const paths = {
    '/v1/checkout/sessions/cs_1/line_items?limit=100': lines,
    '/v1/promotion_codes/promo_1': { code: 'SUMMER' },
  };

  it('gives a session its items and the texts of its coupons', async () => {
    const { fetch, asked } = shop(paths);
    const event = await enriched(
      stripe({ secrets: ['a-secret'], api: { key: 'rk_1', fetch } }),
      delivery(stripeEvent('checkout.session.completed', session(), { account: 'acct_1' })),
    );
    expect(event).toMatchObject({
      order: {
        items: [{ product_id: 'prod_1', net: 9000, net_before_discount: 10_000, tax: 1800, quantity: 2 }],
        coupons: [{ id: 'promo_1', code: 'SUMMER', discount: 1000 }],
      },
    });
    expect(
      asked.every(
        ({ headers, redirect, url }) =>
          headers['Authorization'] === 'Bearer rk_1' &&
          headers['Stripe-Account'] === 'acct_1' &&
          redirect === 'error' &&
          url.startsWith('https://api.stripe.com/'),
      ),
    ).toBe(true);
  });

  it('gives an invoice the ids its refunds arrive under', async () => {
    const { fetch } = shop({
      '/v1/invoice_payments?limit=100&invoice=in_1': {
        data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_9' } }],
      },
    });
    expect(
      await enriched(
        stripe({ secrets: ['a-secret'], api: { key: 'k', fetch } }),
        delivery(stripeEvent('invoice.paid', invoice())),
      ),
    ).toMatchObject({ order: { refs: ['pi_9'] } });
  });

  it.each([
    [
      "items that are not the order's",
      {
        ...paths,
        '/v1/checkout/sessions/cs_1/line_items?limit=100': {
          data: [{ ...lines.data[0], amount_total: 500 }],
        },
      },
    ],
    ['nothing found', {}],
  ])('keeps the order as it is with %s', async (_, answers) => {
    const { fetch } = shop(answers);
    expect(
      await enriched(
        stripe({ secrets: ['a-secret'], api: { key: 'k', fetch } }),
        delivery(stripeEvent('checkout.session.completed', session())),
      ),
    ).toMatchObject({ order: { items: [{ product_id: null, net: 9000 }] } });
  });

  it.each([
    ['an error', 500],
    ['an answer without end', { data: 'x'.repeat(1024 * 1024) }],
  ])('fails with %s, so that the event is tried again', async (_, answer) => {
    const { fetch } = shop({ '/v1/promotion_codes/promo_1': answer });
    await expect(
      enriched(
        stripe({ secrets: ['a-secret'], api: { key: 'k', fetch } }),
        delivery(stripeEvent('checkout.session.completed', session())),
      ),
    ).rejects.toThrow(/shop/);
  });
});

describe('asking WooCommerce', () => {
  const refunds = [
    {
      id: 9,
      line_items: [
        {
          quantity: -1,
          total: '-45.00',
          total_tax: '-9.00',
          meta_data: [{ key: '_refunded_item_id', value: '315' }],
        },
      ],
      shipping_lines: [{ total: '-5.00', total_tax: '-1.00' }],
    },
  ];
  const provider = (answers: Readonly<Record<string, unknown>>, stores = ['https://woo.test']) => {
    const { fetch, asked } = shop(answers);
    return {
      asked,
      provider: woo({
        secrets: ['a-secret'],
        stores,
        api: { fetch, keyOf: () => ({ key: 'ck', secret: 'cs' }) },
      }),
    };
  };

  it('gives refunds their items', async () => {
    const t = provider({ '/wp-json/wc/v3/orders/727/refunds?per_page=100': refunds });
    const event = await enriched(
      t.provider,
      delivery(wooOrder({ refunds: [{ id: 9, total: '-60.00' }] }), wooHeaders()),
    );
    expect(event).toMatchObject({
      order: {
        refunds: [
          {
            refund_id: '9',
            gross: 6000,
            items: [{ item_id: '315', net: 4500, tax: 900 }],
            shipping: 500,
            shipping_tax: 100,
          },
        ],
      },
    });
    expect(t.asked.map(({ url, headers }) => [url, headers['Authorization']])).toEqual([
      [
        'https://woo.test/wp-json/wc/v3/orders/727/refunds?per_page=100',
        `Basic ${Buffer.from('ck:cs').toString('base64')}`,
      ],
    ]);
  });

  it('asks nothing for an order without refunds', async () => {
    const t = provider({});
    await enriched(t.provider, delivery(wooOrder(), wooHeaders()));
    expect(t.asked).toEqual([]);
  });

  it('knows whose a coupon is', async () => {
    const t = provider({
      '/wp-json/wc/v3/coupons?code=SUMMER': [{ id: 1, meta_data: [{ key: '_fa_affiliate_id', value: '7' }] }],
      '/wp-json/wc/v3/coupons?code=NONE': [],
    });
    expect([
      await t.provider.couponAffiliate!('SUMMER', []),
      await t.provider.couponAffiliate!('NONE', []),
    ]).toEqual([7, null]);
  });

  it.each(['https://127.0.0.1', 'https://localhost', 'https://[fd00::1]', 'https://169.254.169.254'])(
    'never asks %s with the built-in client',
    async (store) => {
      const provider = woo({
        secrets: ['a-secret'],
        stores: [store],
        api: { keyOf: () => ({ key: 'ck', secret: 'cs' }) },
      });
      await expect(provider.couponAffiliate!('SUMMER', [])).rejects.toThrow('public internet');
      await expect(provider.changedSince!(0)).rejects.toThrow('public internet');
    },
  );

  it('never asks a shop without https', async () => {
    const t = provider({}, ['http://woo.test']);
    await expect(t.provider.couponAffiliate!('SUMMER', [])).rejects.toThrow(/https/);
    expect(t.asked).toEqual([]);
  });
});
