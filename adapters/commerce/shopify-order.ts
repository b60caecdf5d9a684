import { minor, scale, type Minor } from '../../src/core/money.js';
import type { ProviderItem, ProviderOrder } from '../commerce.js';
import { atLeastZero, currencyOf, fromDecimal, sum } from './amounts.js';
import { fields, given, idOf, list, text, texts, timeOf, whole, type Fields } from './reading.js';
import { movesMoney, shopifyRefunds, shopMoney } from './shopify-refund.js';

type Money = (value: unknown) => Minor;

/** `gid://shopify/Order/820982911946154508` → the number, as text: it may be longer than a number can be. */
export const lastSegment = (value: unknown): string => text(value).split('/').at(-1)?.split('?')[0] ?? '';

const taxesOf = (line: Fields, money: Money): Minor =>
  sum(list(line['tax_lines']).map((tax) => money(shopMoney(tax, 'price'))));

export function shopifyOrder(order: Fields, at: number, staffSources: readonly string[]): ProviderOrder {
  const currency = currencyOf(order['currency']);
  const money: Money = (value) => fromDecimal(value, currency);
  const included = order['taxes_included'] === true;
  const items = [
    ...list(order['line_items']).map((line) => item(line, { order, money, included })),
    ...restOf(order, money),
  ].filter(({ quantity }) => quantity > 0);
  const shipping = shippingOf(order, money, included);
  const total = totalOf(order, money, sum([...items, shipping].map(({ net, tax }) => net + tax)));
  const refunds = shopifyRefunds(order);
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
    ...((text(order['user_id']) !== '' || staffSources.includes(text(order['source_name']))) && {
      created_by_staff: true,
    }),
    ...(refunds.length > 0 && { refunds, some_refunds: true }),
    created_at: timeOf(order['created_at'], at),
    ...(timeOf(order['processed_at']) > 0 && { paid_at: timeOf(order['processed_at']) }),
  };
}

interface OrderContext {
  readonly order: Fields;
  readonly money: Money;
  readonly included: boolean;
}

function item(line: Fields, { order, money, included }: OrderContext): ProviderItem {
  const [ordered, quantity] = [whole(line['quantity'], 1), boughtOf(line, order)];
  const left = (amount: Minor): Minor => (ordered === quantity ? amount : scale(amount, quantity, ordered));
  const tax = left(taxesOf(line, money));
  const gross = money(shopMoney(line, 'price')) * quantity;
  const allocated = sum(list(line['discount_allocations']).map((each) => money(shopMoney(each, 'amount'))));
  const discount = left(allocated);
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
    ...((line['gift_card'] === true || isTip(line, order, money)) && { commissionable: false }),
  };
}

/**
 * How many units were bought: those still on the order, and those paid back. Units that were taken off before
 * the payment are in neither.
 */
function boughtOf(line: Fields, order: Fields): number {
  const ordered = whole(line['quantity'], 1);
  if (line['current_quantity'] === undefined || line['current_quantity'] === null) return ordered;
  const returned = list(order['refunds'])
    .filter(movesMoney)
    .flatMap((refund) => list(refund['refund_line_items']))
    .filter((each) => text(each['line_item_id']) === text(line['id']));
  const back = returned.reduce((all, each) => all + whole(each['quantity']), 0);
  return Math.min(ordered, whole(line['current_quantity'], ordered) + back);
}

/** A tip is a line without a product. Newer payloads mark it, older ones name only the sum of all tips. */
function isTip(line: Fields, order: Fields, money: Money): boolean {
  if (text(fields(line['tip'])['payment_gateway'] ?? fields(line['tip'])['payment_method']) !== '')
    return true;
  const tips = tipsOf(order, money);
  return text(line['product_id']) === '' && tips > 0 && money(shopMoney(line, 'price')) === tips;
}

const tipsOf = (order: Fields, money: Money): Minor =>
  atLeastZero(money(shopMoney(order, 'total_tip_received')));

/** What was charged besides goods and shipping, and earns nothing: duties, and tips that have no line. */
function restOf(order: Fields, money: Money): ProviderItem[] {
  const duties = money(shopMoney(order, 'original_total_duties') ?? shopMoney(order, 'current_total_duties'));
  const hasTipLine = list(order['line_items']).some((line) => isTip(line, order, money));
  const rest = { duties, tip: hasTipLine ? minor(0) : tipsOf(order, money) };
  return Object.entries(rest)
    .filter(([, amount]) => amount > 0)
    .map(([id, amount]) => ({
      id,
      product_id: null,
      title: '',
      quantity: 1,
      net: amount,
      net_before_discount: amount,
      tax: minor(0),
      commissionable: false,
    }));
}

/**
 * The total that the lines add up to. `total_price` may be the one before an edit, the current total is less
 * what was paid back.
 */
function totalOf(order: Fields, money: Money, lines: Minor): Minor {
  const first = atLeastZero(money(shopMoney(order, 'total_price')));
  const now = shopMoney(order, 'current_total_price');
  if (now === undefined || now === null) return first;
  const back = sum(shopifyRefunds(order).map(({ gross }) => gross));
  return [first, money(now), sum([money(now), back])].find((total) => Math.abs(total - lines) <= 1) ?? first;
}

/** The discount without tax: where prices contain tax, a discount contains its share of it. */
function beforeTax(discount: Minor, net: Minor, tax: number): number {
  return tax === 0 || net + tax === 0 ? discount : Math.round((discount * net) / (net + tax));
}

function shippingOf(order: Fields, money: Money, included: boolean): { net: Minor; tax: Minor } {
  const lines = list(order['shipping_lines'])
    .filter(wasShipped(order))
    .map((line) => {
      const tax = taxesOf(line, money);
      const price = shopMoney(line, 'discounted_price');
      return { tax, net: atLeastZero(money(price ?? shopMoney(line, 'price')) - (included ? tax : 0)) };
    });
  return { net: sum(lines.map(({ net }) => net)), tax: sum(lines.map(({ tax }) => tax)) };
}

/** Shipping that was taken off before the payment was never paid; paid back, it is a refund. */
const wasShipped =
  (order: Fields) =>
  (line: Fields): boolean =>
    line['is_removed'] !== true ||
    list(order['refunds']).some(
      (refund) =>
        movesMoney(refund) &&
        (list(refund['refund_shipping_lines']).length > 0 ||
          list(refund['order_adjustments']).some((each) => each['kind'] === 'shipping_refund')),
    );
