import type { CommerceProvider, ProviderOrder } from '../../adapters/commerce.js';
import { minor } from '../../src/core/money.js';

/** A shop with products and categories that is told of in the same process. */
export const shopProvider = (key: string, more: Partial<CommerceProvider> = {}): CommerceProvider => ({
  key,
  info: { title: key, description: 'A shop', type: 'commerce' },
  abilities: new Set(['coupons', 'renewals', 'upgrades', 'products', 'categories']),
  ...more,
});

/** A paid order of 100.00 that nobody is named in. */
export const order = (at: number, id: string): ProviderOrder => ({
  id,
  currency: 'USD',
  totals: {
    goods: minor(10_000),
    goods_before_discount: minor(10_000),
    goods_tax: minor(0),
    shipping: minor(0),
    shipping_tax: minor(0),
    fees: minor(0),
    fees_tax: minor(0),
    grand_total: minor(10_000),
    paid: minor(10_000),
  },
  items: [],
  coupons: [],
  customer: { email: 'jo@buyer.test', name: 'Jo' },
  attribution: {},
  created_at: at,
  paid_at: at,
});
