import type { Minor } from '../../src/core/money.js';
import type { ProviderItem, ProviderOrder, ProviderRefund } from '../commerce.js';
import { atLeastZero, currencyOf, fromDecimal, NOTHING, sum } from './amounts.js';
import { fields, given, list, text, texts, timeOf, whole, type Fields } from './reading.js';
import { chargeOf, fingerprintOf } from './stripe-charge.js';

export const ORDER_FIELDS: readonly string[] = [
  'id',
  'display_id',
  'status',
  'currency_code',
  'email',
  'customer_id',
  'created_at',
  'updated_at',
  'canceled_at',
  'metadata',
  'total',
  'tax_total',
  'items.*',
  'items.adjustments.*',
  'shipping_methods.*',
  'shipping_methods.adjustments.*',
  'billing_address.first_name',
  'billing_address.last_name',
  'payment_collections.id',
  'payment_collections.status',
  'payment_collections.captured_amount',
  'payment_collections.payments.id',
  'payment_collections.payments.amount',
  'payment_collections.payments.captured_at',
  'payment_collections.payments.captures.*',
  'payment_collections.payments.data',
  'payment_collections.payments.refunds.*',
];
export const PAYMENT_FIELDS: readonly string[] = ['id', 'payment_collection.order.id'];

type Money = (value: unknown) => Minor;

/** Amounts are numbers or big-number objects, in major units. */
export function decimalOf(value: unknown): string | number | undefined {
  if (typeof value === 'number' || typeof value === 'string') return value;
  const number = fields(value);
  const inner = number['value'] ?? number['numeric'] ?? number['numeric_'] ?? fields(number['raw'])['value'];
  return typeof inner === 'number' || typeof inner === 'string' ? inner : undefined;
}

export function medusaOrder(order: Fields): ProviderOrder {
  const currency = currencyOf(order['currency_code']);
  const money: Money = (value) => fromDecimal(decimalOf(value), currency);
  const items = list(order['items']).map((line) => item(line, money));
  const shipping = list(order['shipping_methods']).map((method) => ({
    net: atLeastZero(money(method['subtotal'] ?? method['amount']) - money(method['discount_subtotal'])),
    tax: money(method['tax_total']),
  }));
  const total = money(order['total']);
  const address = fields(order['billing_address']);
  const createdAt = timeOf(order['created_at']);
  return {
    id: text(order['id']),
    ...given('number', order['display_id']),
    currency,
    items,
    refs: texts(
      ...list(order['payment_collections']).flatMap((collection) => [
        collection['id'],
        ...list(collection['payments']).map((payment) => payment['id']),
      ]),
    ),
    totals: {
      goods: sum(items.map(({ net }) => net)),
      goods_before_discount: sum(items.map((each) => each.net_before_discount)),
      goods_tax: sum(items.map(({ tax }) => tax)),
      shipping: sum(shipping.map(({ net }) => net)),
      shipping_tax: sum(shipping.map(({ tax }) => tax)),
      fees: NOTHING,
      fees_tax: NOTHING,
      grand_total: total,
      paid: receivedOf(order, total, money),
    },
    coupons: coupons(order, money),
    attribution: given('token', fields(order['metadata'])['fa_ref']),
    customer: {
      ...given('ref', order['customer_id']),
      ...given('email', order['email']),
      ...given('name', `${text(address['first_name'])} ${text(address['last_name'])}`),
      ...fingerprint(order),
    },
    created_at: createdAt,
  };
}

function item(line: Fields, money: Money): ProviderItem {
  const before = money(line['subtotal']);
  const variant = text(line['variant_id']);
  return {
    id: text(line['id']),
    product_id: text(line['product_id']) || null,
    ...(variant !== '' && { variant_id: variant }),
    title: text(line['product_title']) || text(line['title']),
    quantity: whole(decimalOf(line['quantity']), 1),
    net: atLeastZero(before - money(line['discount_subtotal'])),
    net_before_discount: before,
    tax: money(line['tax_total']),
    ...(line['is_giftcard'] === true && { commissionable: false }),
  };
}

/** Known for payments whose provider stores the whole charge, as Stripe's does with a setting. */
const fingerprint = (order: Fields): { payment_fingerprint?: string } =>
  paymentsOf(order)
    .map((payment) => fingerprintOf(chargeOf(fields(payment['data']))))
    .find((found) => found.payment_fingerprint !== undefined) ?? {};

/** Promotion codes are listed at the items and the shipping whose price they lowered. */
function coupons(order: Fields, money: Money): ProviderOrder['coupons'] {
  const byCode = new Map<string, Minor>();
  const lowered = [...list(order['items']), ...list(order['shipping_methods'])];
  for (const adjustment of lowered.flatMap((line) => list(line['adjustments']))) {
    const code = text(adjustment['code']);
    if (code !== '') byCode.set(code, sum([byCode.get(code) ?? 0, money(adjustment['amount'])]));
  }
  return [...byCode].map(([code, discount]) => ({ code, discount }));
}

const paymentsOf = (order: Fields): readonly Fields[] =>
  list(order['payment_collections']).flatMap((collection) => list(collection['payments']));

/** What was captured so far; null when the shop does not report the amount, and all of it counts. */
function capturedOf(order: Fields, money: Money): Minor | null {
  const amounts = list(order['payment_collections']).map((collection): number | null => {
    if (decimalOf(collection['captured_amount']) !== undefined) return money(collection['captured_amount']);
    if (text(collection['status']) === 'completed') return null;
    return list(collection['payments']).reduce<number | null>((sum, payment) => {
      const one = capturedBy(payment, money);
      return sum === null || one === null ? null : sum + one;
    }, 0);
  });
  return amounts.includes(null) ? null : sum(amounts.map((each) => each ?? 0));
}

function capturedBy(payment: Fields, money: Money): number | null {
  const captures = list(payment['captures']);
  if (captures.length > 0) return sum(captures.map((each) => money(each['amount'])));
  if (text(payment['captured_at']) === '') return 0;
  return decimalOf(payment['amount']) === undefined ? null : money(payment['amount']);
}

/** The money received: the whole order until something was captured, as nothing is payable before that. */
function receivedOf(order: Fields, total: Minor, money: Money): Minor {
  const captured = capturedOf(order, money);
  return captured === null || captured <= 0 || captured >= total ? total : captured;
}

export function isCaptured(order: Fields): boolean {
  const currency = currencyOf(order['currency_code']);
  const captured = capturedOf(order, (value) => fromDecimal(decimalOf(value), currency));
  return captured === null || captured > 0;
}

/** When the order last changed; a payment changes without its order. */
export const changedAt = (order: Fields, fallback: number): number =>
  Math.max(
    timeOf(order['updated_at'], fallback),
    ...paymentsOf(order).flatMap((payment) => [
      timeOf(payment['captured_at']),
      ...[...list(payment['captures']), ...list(payment['refunds'])].map((each) =>
        timeOf(each['created_at']),
      ),
    ]),
  );

export function medusaRefunds(
  order: Fields,
  { id, currency }: Pick<ProviderOrder, 'id' | 'currency'>,
): ProviderRefund[] {
  return paymentsOf(order)
    .flatMap((payment) => list(payment['refunds']))
    .map((refund) => ({
      order_ref: id,
      ...given('refund_id', refund['id']),
      gross: fromDecimal(decimalOf(refund['amount']), currency),
      currency,
      state: 'done' as const,
    }));
}
