import { minor, type Minor } from '../../src/core/money.js';
import type { ProviderItem, ProviderOrder, ProviderRefund } from '../commerce.js';
import { atLeastZero, currencyOf, fromDecimal, lowered, sum } from './amounts.js';
import { fields, given, list, text, texts, timeOf, whole, type Fields } from './reading.js';

type Money = (value: unknown) => Minor;
export type WooState = 'paid' | 'created' | 'canceled' | 'failed' | 'refunded' | 'deleted' | 'ignored';

const STATES: Readonly<Record<string, WooState>> = {
  processing: 'paid',
  completed: 'paid',
  pending: 'created',
  'on-hold': 'created',
  cancelled: 'canceled',
  failed: 'failed',
  refunded: 'refunded',
  trash: 'deleted',
  'checkout-draft': 'ignored',
};

/** A state that the shop has invented counts as paid once there is a date of payment. */
export function orderState(order: Fields): WooState {
  const known = STATES[text(order['status'])];
  const paidAt = text(order['date_paid_gmt']);
  return known === 'created' || known === undefined ? (paidAt === '' ? 'created' : 'paid') : known;
}

export const metaOf = (order: Fields, key: string): unknown =>
  list(order['meta_data']).find((meta) => meta['key'] === key)?.['value'];

/** The host's settings for reading orders. */
export interface WooReading {
  readonly paymentMeta: readonly string[];
  readonly staffSources: readonly string[];
}

export function wooOrder(
  order: Fields,
  at: number,
  { paymentMeta, staffSources }: WooReading,
): ProviderOrder {
  const currency = currencyOf(order['currency']);
  const money: Money = (value) => fromDecimal(value, currency);
  const { items, fees, feesTax } = itemsAndFees(order, money);
  const billing = fields(order['billing']);
  const userId = whole(order['customer_id']);
  const affiliate = whole(metaOf(order, '_fa_affiliate_id'));
  const shippingTax = money(order['shipping_tax']);
  const total = atLeastZero(money(order['total']));
  return {
    id: text(order['id']),
    ...given('number', order['number']),
    refs: texts(order['transaction_id']),
    currency,
    items,
    totals: {
      goods: atLeastZero(sum(items.map((item) => item.net))),
      goods_before_discount: atLeastZero(sum(items.map((item) => item.net_before_discount))),
      goods_tax: atLeastZero(sum(items.map((item) => item.tax))),
      shipping: atLeastZero(money(order['shipping_total'])),
      shipping_tax: shippingTax,
      fees,
      fees_tax: feesTax,
      grand_total: total,
      paid: total,
    },
    coupons: list(order['coupon_lines']).map((coupon) => ({
      ...given('code', coupon['code']),
      discount: money(coupon['discount']),
      ...(freesShipping(coupon, order) && { free_shipping: true }),
    })),
    customer: {
      ...(userId > 0 && { ref: String(userId) }),
      ...given('email', billing['email']),
      ...given('ip', order['customer_ip_address']),
      ...given('name', `${text(billing['first_name'])} ${text(billing['last_name'])}`),
      ...given(
        'payment_fingerprint',
        paymentMeta.map((key) => text(metaOf(order, key)).trim()).find((value) => value !== ''),
      ),
    },
    attribution: {
      ...given('token', metaOf(order, 'fa_ref')),
      ...(affiliate > 0 && { affiliate_id: affiliate }),
      ...given('landing_url', metaOf(order, '_wc_order_attribution_session_entry')),
    },
    ...(isByStaff(order, staffSources) && { created_by_staff: true }),
    refunds: refunds(order, currency, money),
    created_at: timeOf(order['date_created_gmt'], at),
    ...(timeOf(order['date_paid_gmt']) > 0 && { paid_at: timeOf(order['date_paid_gmt']) }),
  };
}

/** An order with a visitor's token that was not typed in the back office was made by a visitor. */
const isByStaff = (order: Fields, sources: readonly string[]): boolean => {
  const source = text(order['created_via']);
  return sources.includes(source) && (source === 'admin' || text(metaOf(order, 'fa_ref')) === '');
};

/**
 * Did the coupon pay for the shipping? The shop reports it with a discount of 0. Older versions only report
 * that shipping was free.
 */
function freesShipping(coupon: Fields, order: Fields): boolean {
  if (coupon['free_shipping'] !== undefined) return isYes(coupon['free_shipping']);
  const data = fields(metaOf(coupon, 'coupon_data'))['free_shipping'];
  if (data !== undefined) return isYes(data);
  const info = text(metaOf(coupon, 'coupon_info'));
  if (info !== '') return /,\s*true\s*\]$/.test(info);
  return list(order['shipping_lines']).some((line) => text(line['method_id']) === 'free_shipping');
}

const isYes = (value: unknown): boolean => value === true || value === 'yes' || value === 1 || value === '1';

/**
 * Totals of lines never contain tax, also when the shop shows it. A fee below zero is a discount and lowers
 * the other lines in proportion.
 */
function itemsAndFees(order: Fields, money: Money): { items: ProviderItem[]; fees: Minor; feesTax: Minor } {
  const lines = list(order['line_items']).map((line): ProviderItem => {
    const variant = text(line['variation_id']);
    return {
      id: text(line['id']),
      product_id: text(line['product_id']) || null,
      ...(variant !== '' && variant !== '0' && { variant_id: variant }),
      title: text(line['name']),
      quantity: Math.max(0, whole(line['quantity'], 1)),
      // A trade-in or a deposit is below zero and lowers the order.
      net: money(line['total']),
      net_before_discount: money(line['subtotal'] ?? line['total']),
      tax: money(line['total_tax']),
    };
  });
  const fees = list(order['fee_lines']).map((fee) => ({
    net: money(fee['total']),
    tax: money(fee['total_tax']),
  }));
  const off = fees.filter((fee) => fee.net < 0);
  const added = fees.filter((fee) => fee.net >= 0);
  const items = lowered(lines, {
    net: 0 - sum(off.map(({ net }) => net)),
    tax: 0 - sum(off.map(({ tax }) => tax)),
  });
  return { items, fees: sum(added.map(({ net }) => net)), feesTax: sum(added.map(({ tax }) => tax)) };
}

/** The order lists every refund as negative text; one that is no longer listed was undone. */
function refunds(order: Fields, currency: string, money: Money): ProviderRefund[] {
  return list(order['refunds']).map((refund) => ({
    order_ref: text(order['id']),
    refund_id: text(refund['id']),
    gross: minor(Math.abs(money(refund['total']))),
    currency,
    state: 'done' as const,
  }));
}
