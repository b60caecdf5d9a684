// A shop with a catalog that answers when it is asked for an order.
const PRODUCTS = [
  { id: '11', label: 'Field guide' },
  { id: '12', label: 'Sea atlas' },
];
const CATEGORIES = [{ id: '5', label: 'Maps' }];

/** `orders`: id → the affiliate who brought it; each is a paid order of one Sea atlas for 50.00. */
export const bookshop = (orders) => ({
  key: 'bookshop',
  info: { title: 'Bookshop', description: 'Books and maps', type: 'commerce' },
  abilities: new Set(['products', 'categories', 'coupons', 'renewals']),
  trustAffiliateId: true,
  catalog: {
    search: async ({ kind, text, ids, limit }) =>
      (kind === 'category' ? CATEGORIES : PRODUCTS)
        .filter(({ id, label }) => ids.includes(id) || label.toLowerCase().includes(text.toLowerCase()))
        .slice(0, limit + ids.length),
    categoriesOf: async (ids) => new Map(ids.map((id) => [id, ['5']])),
  },
  fetchOrder: async ({ id }) => (id in orders ? paidOrder(id, orders[id]) : null),
});

function paidOrder(id, affiliateId) {
  const at = Date.now() - 60_000;
  const [price, none] = [5_000, 0];
  return {
    id,
    currency: 'EUR',
    totals: {
      goods: price,
      goods_before_discount: price,
      goods_tax: none,
      shipping: none,
      shipping_tax: none,
      fees: none,
      fees_tax: none,
      grand_total: price,
      paid: price,
    },
    items: [
      {
        id: '1',
        product_id: '12',
        title: 'Sea atlas',
        quantity: 1,
        net: price,
        net_before_discount: price,
        tax: none,
      },
    ],
    coupons: [],
    customer: { email: 'reader@mail.test', name: 'Ria Reader' },
    attribution: { affiliate_id: affiliateId },
    created_at: at,
    paid_at: at,
  };
}
