// Deliveries in the form the vendors send them, cut to what matters.

export const stripeEvent = (type: string, object: object, more: object = {}): object =>
  ({ id: 'evt_1', object: 'event', api_version: '2025-03-31.basil', created: 1_700_000_000, livemode: true, type, data: { object }, ...more });

export const session = (more: object = {}): object => ({
  id: 'cs_1', object: 'checkout.session', mode: 'payment', payment_status: 'paid', created: 1_699_999_000, currency: 'usd', amount_total: 11400,
  total_details: { amount_tax: 1900, amount_discount: 1000 }, shipping_cost: { amount_total: 600, amount_tax: 100 }, payment_intent: 'pi_1', invoice: null,
  customer: 'cus_1', customer_details: { email: 'jo@buyer.test', name: 'Jo Buyer' }, discounts: [{ promotion_code: 'promo_1', coupon: null }], client_reference_id: 'token', metadata: {}, ...more,
});

export const invoice = (more: object = {}): object => ({
  id: 'in_1', object: 'invoice', number: 'A-0001', billing_reason: 'subscription_create', created: 1_699_999_000, currency: 'usd', total: 10800, amount_paid: 10800, total_excluding_tax: 9000,
  total_taxes: [{ amount: 1800 }], total_discount_amounts: [{ amount: 1000 }], customer: 'cus_1', customer_email: 'jo@buyer.test', customer_name: 'Jo Buyer', discounts: ['di_1'],
  status_transitions: { paid_at: 1_700_000_000 }, parent: { subscription_details: { subscription: 'sub_1', metadata: {} } },
  lines: { data: [{ id: 'il_1', description: 'Plan', quantity: 1, amount: 10000, discount_amounts: [{ amount: 1000 }], taxes: [{ amount: 1800, tax_behavior: 'exclusive' }], pricing: { price_details: { product: 'prod_1' } } }] }, ...more,
});

export const wooOrder = (more: object = {}): object => ({
  id: 727, number: '727', status: 'processing', currency: 'USD', date_created_gmt: '2026-01-15T14:00:00', date_modified_gmt: '2026-01-15T14:01:00', date_paid_gmt: '2026-01-15T14:01:00',
  prices_include_tax: true, discount_total: '10.00', shipping_total: '5.00', shipping_tax: '1.00', cart_tax: '18.00', total: '114.00', customer_id: 26, customer_ip_address: '192.0.2.7', created_via: 'checkout',
  transaction_id: 'txn_9', billing: { email: 'jo@buyer.test', first_name: 'Jo', last_name: 'Buyer' },
  line_items: [{ id: 315, name: 'Mug', product_id: 93, variation_id: 0, quantity: 2, subtotal: '100.00', total: '90.00', total_tax: '18.00' }],
  coupon_lines: [{ id: 1, code: 'SUMMER', discount: '10.00', discount_tax: '2.00' }], fee_lines: [], refunds: [], meta_data: [{ id: 1, key: 'fa_ref', value: 'token' }], ...more,
});
export const wooHeaders = (topic = 'order.updated'): Record<string, string> => ({ 'X-WC-Webhook-Source': 'https://Woo.test/', 'X-WC-Webhook-Topic': topic, 'X-WC-Webhook-ID': '5' });

const money = (amount: string): object => ({ shop_money: { amount, currency_code: 'USD' }, presentment_money: { amount: '999.00', currency_code: 'EUR' } });
export const shopifyOrder = (more: object = {}): object => ({
  admin_graphql_api_id: 'gid://shopify/Order/820982911946154508', name: '#1001', currency: 'USD', taxes_included: false, financial_status: 'paid', created_at: '2026-01-15T09:00:00-05:00', processed_at: '2026-01-15T09:00:05-05:00',
  cancelled_at: null, source_name: 'web', user_id: null, test: false, email: 'jo@buyer.test', browser_ip: '192.0.2.7', checkout_token: 'chk', cart_token: 'crt', confirmation_number: 'CONF',
  customer: { id: 115310627314723950, first_name: 'Jo', last_name: 'Buyer' }, note_attributes: [{ name: 'fa_ref', value: 'token' }], landing_site: '/?ref=1', total_price_set: money('114.00'),
  discount_codes: [{ code: 'SUMMER', amount: '10.00', type: 'fixed_amount' }],
  line_items: [{ id: 866550311766439000, product_id: 788032119674292900, variant_id: 64, title: 'Mug', quantity: 2, price_set: money('50.00'), gift_card: false, discount_allocations: [{ amount_set: money('10.00') }], tax_lines: [{ price_set: money('18.00') }] }],
  shipping_lines: [{ discounted_price_set: money('5.00'), tax_lines: [{ price_set: money('1.00') }] }], ...more,
});
export const shopifyHeaders = (topic = 'orders/paid'): Record<string, string> => ({ 'X-Shopify-Topic': topic, 'X-Shopify-Shop-Domain': 'demo.myshopify.com', 'X-Shopify-Webhook-Id': 'wh_1', 'X-Shopify-Triggered-At': '2026-01-15T14:00:10Z' });
export const shopifyRefund = (more: object = {}): string => JSON.stringify({
  id: 509562969, order_id: 'ORDER', refund_line_items: [{ line_item_id: 866, subtotal_set: money('45.00'), total_tax_set: money('9.00') }], order_adjustments: [],
  transactions: [{ kind: 'refund', status: 'success', currency: 'USD', amount_set: money('54.00') }], ...more,
}).replace('"ORDER"', '820982911946154508');
