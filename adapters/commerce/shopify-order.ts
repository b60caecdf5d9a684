import { minor, split, type Minor } from '../../src/core/money.js';
import type { ProviderItem, ProviderOrder, ProviderRefund } from '../commerce.js';
import { atLeastZero, currencyOf, fromDecimal, sum } from './amounts.js';
import { fields, given, idOf, list, text, texts, timeOf, whole, type Fields } from './reading.js';

type Money = (value: unknown) => Minor;

const STAFF_SOURCES = new Set(['shopify_draft_order', 'pos']);

/** `gid://shopify/Order/820982911946154508` → the number, as text: it may be longer than a number can be. */
export const lastSegment = (value: unknown): string => text(value).split('/').at(-1)?.split('?')[0] ?? '';

/** The amount in the shop's own currency, never the one the buyer was shown. */
const shopMoney = (of: Fields, field: string): unknown =>
  fields(fields(of[`${field}_set`])['shop_money'])['amount'] ?? of[field];

const taxesOf = (line: Fields, money: Money): Minor =>
  sum(list(line['tax_lines']).map((tax) => money(shopMoney(tax, 'price'))));

export function shopifyOrder(order: Fields, at: number): ProviderOrder {
  const currency = currencyOf(order['currency']);
  const money: Money = (value) => fromDecimal(value, currency);
  const included = order['taxes_included'] === true;
  const items = list(order['line_items']).map((line) => item(line, money, included));
  const shipping = shippingOf(order, money, included);
  const total = atLeastZero(money(shopMoney(order, 'total_price')));
  const customer = fields(order['customer']);
  const attributes = list(order['note_attributes']);
  return {
    id: lastSegment(order['admin_graphql_api_id']) || text(order['id']),
    ...given('number', order['name']),
    refs: texts(order['checkout_token'], order['cart_token'], order['confirmation_number']),
    currency,
    items,
    totals: {
      goods: sum(items.map(({ net }) => net)),
      goods_before_discount: sum(items.map((each) => each.net_before_discount)),
      goods_tax: sum(items.map(({ tax }) => tax)),
      shipping: shipping.net,
      shipping_tax: shipping.tax,
      fees: money(undefined),
      fees_tax: money(undefined),
      grand_total: total,
      paid: total,
    },
    coupons: list(order['discount_codes']).map((code) => ({
      ...given('code', code['code']),
      discount: money(code['amount']),
    })),
    customer: {
      ...given('ref', idOf(customer)),
      ...given('email', text(order['email']) || order['contact_email']),
      ...given('ip', order['browser_ip']),
      ...given('name', `${text(customer['first_name'])} ${text(customer['last_name'])}`),
    },
    attribution: {
      ...given('token', attributes.find((each) => each['name'] === 'fa_ref')?.['value']),
      ...given('landing_url', order['landing_site']),
    },
    ...((text(order['user_id']) !== '' || STAFF_SOURCES.has(text(order['source_name']))) && {
      created_by_staff: true,
    }),
    created_at: timeOf(order['created_at'], at),
    ...(timeOf(order['processed_at']) > 0 && { paid_at: timeOf(order['processed_at']) }),
  };
}

function item(line: Fields, money: Money, included: boolean): ProviderItem {
  const [quantity, tax] = [whole(line['quantity'], 1), taxesOf(line, money)];
  const gross = money(shopMoney(line, 'price')) * quantity;
  const discount = sum(list(line['discount_allocations']).map((each) => money(shopMoney(each, 'amount'))));
  const net = atLeastZero(gross - discount - (included ? tax : 0));
  const variant = text(line['variant_id']);
  return {
    id: text(line['id']),
    product_id: text(line['product_id']) || null,
    ...(variant !== '' && { variant_id: variant }),
    title: text(line['title'] ?? line['name']),
    quantity,
    net,
    net_before_discount: sum([net, beforeTax(discount, net, included ? tax : 0)]),
    tax,
    ...(line['gift_card'] === true && { commissionable: false }),
  };
}

/** The discount without tax: where prices contain tax, a discount contains its share of it. */
function beforeTax(discount: Minor, net: Minor, tax: number): number {
  return tax === 0 || net + tax === 0 ? discount : Math.round((discount * net) / (net + tax));
}

function shippingOf(order: Fields, money: Money, included: boolean): { net: Minor; tax: Minor } {
  const lines = list(order['shipping_lines']).map((line) => {
    const tax = taxesOf(line, money);
    const price = shopMoney(line, 'discounted_price');
    return { tax, net: atLeastZero(money(price ?? shopMoney(line, 'price')) - (included ? tax : 0)) };
  });
  return { net: sum(lines.map(({ net }) => net)), tax: sum(lines.map(({ tax }) => tax)) };
}

/** All refunds that an order lists. */
export const shopifyRefunds = (order: Fields): ProviderRefund[] =>
  list(order['refunds']).flatMap(
    (refund) => shopifyRefund({ ...refund, order_id: refund['order_id'] ?? order['id'] }) ?? [],
  );

/** Null when no money was given back: goods were only put back into stock. */
export function shopifyRefund(refund: Fields): ProviderRefund | null {
  const done = list(refund['transactions']).filter(
    (each) => each['kind'] === 'refund' && each['status'] === 'success',
  );
  const order = text(refund['order_id']);
  if (order === '' || done.length === 0) return null;
  const currency = currencyOf(
    fields(fields(done[0]?.['amount_set'])['shop_money'])['currency_code'] ?? done[0]?.['currency'],
  );
  const money: Money = (value) => fromDecimal(value, currency);
  const gross = sum(done.map((each) => money(shopMoney(each, 'amount'))));
  const shipping = list(refund['order_adjustments']).filter((each) => each['kind'] === 'shipping_refund');
  const positive = (value: Minor): number => Math.abs(value);
  const back = {
    shipping: sum(shipping.map((each) => positive(money(shopMoney(each, 'amount'))))),
    shipping_tax: sum(shipping.map((each) => positive(money(shopMoney(each, 'tax_amount'))))),
  };
  const items = refundedItems(refund, money, gross - back.shipping - back.shipping_tax);
  return {
    order_ref: order,
    ...given('refund_id', refund['id']),
    currency,
    state: 'done',
    gross,
    ...(items.length > 0 && { items }),
    ...(shipping.length > 0 && back),
  };
}

/**
 * Where prices contain tax, so does the subtotal of a line. The payload does not say which is the case, but
 * then subtotal and tax together exceed the money given back.
 */
function refundedItems(refund: Fields, money: Money, paidBack: number): NonNullable<ProviderRefund['items']> {
  const lines = list(refund['refund_line_items']).map((line) => ({
    item_id: text(line['line_item_id']),
    net: money(shopMoney(line, 'subtotal')),
    tax: money(shopMoney(line, 'total_tax')),
  }));
  const differs = list(refund['order_adjustments']).some((each) => each['kind'] === 'refund_discrepancy');
  // An adjustment is among the refund, so the sum proves nothing; then the lines are taken as they are.
  const included = !differs && sum(lines.map(({ net, tax }) => net + tax)) > paidBack + 1;
  const items = lines.map((line) => (included ? { ...line, net: atLeastZero(line.net - line.tax) } : line));
  // Without any line, only the amount is known.
  return differs && lines.length > 0 ? asPaidBack(lines, paidBack) : items;
}

/**
 * The money given back differs from the worth of the lines: it is spread over them, and the order says how
 * much of it is tax.
 */
function asPaidBack(
  lines: NonNullable<ProviderRefund['items']>,
  paidBack: number,
): NonNullable<ProviderRefund['items']> {
  const shares = split(
    atLeastZero(paidBack),
    lines.map(({ net }) => Math.max(0, net)),
  );
  return lines.map((line, at) => ({ ...line, gross: shares[at] ?? minor(0) }));
}
