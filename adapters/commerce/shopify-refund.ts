import { minor, scale, split, type Minor } from '../../src/core/money.js';
import type { ProviderRefund } from '../commerce.js';
import { atLeastZero, currencyOf, fromDecimal, sum } from './amounts.js';
import { fields, given, list, text, type Fields } from './reading.js';

type Money = (value: unknown) => Minor;
type Items = NonNullable<ProviderRefund['items']>;

/** Money that went back, or is on its way: a refund that is pending counts until it fails. */
const MOVED = new Set(['success', 'pending']);

const moneySet = (of: Fields, field: string, kind: 'shop_money' | 'presentment_money'): Fields =>
  fields(fields(of[`${field}_set`])[kind]);

/** The amount in the shop's own currency, never the one the buyer was shown. */
export const shopMoney = (of: Fields, field: string): unknown =>
  moneySet(of, field, 'shop_money')['amount'] ?? of[field];

/** The attempts to give money back; one that another attempt continued is that other attempt. */
function attemptsOf(refund: Fields): readonly Fields[] {
  const attempts = list(refund['transactions']).filter((each) => each['kind'] === 'refund');
  const continued = new Set(attempts.map((each) => text(each['parent_id'])));
  return attempts.filter((each) => each['status'] !== 'pending' || !continued.has(text(each['id'])));
}

/** Was money given back, or tried to? Otherwise units were only taken off the order or put into stock. */
export const movesMoney = (refund: Fields): boolean => attemptsOf(refund).length > 0;

/** The refunds that an order lists. */
export const shopifyRefunds = (order: Fields): ProviderRefund[] =>
  list(order['refunds']).flatMap(
    (refund) => shopifyRefund({ ...refund, order_id: refund['order_id'] ?? order['id'] }, order) ?? [],
  );

/** Null when no money was given back. `order` is the order that lists the refund, if one does. */
export function shopifyRefund(refund: Fields, order: Fields = {}): ProviderRefund | null {
  const attempts = attemptsOf(refund);
  const ref = text(refund['order_id']);
  if (ref === '' || attempts.length === 0) return null;
  const moved = attempts.filter((each) => MOVED.has(text(each['status'])));
  const counted = moved.length > 0 ? moved : attempts;
  const currency = currencyOf(shopCurrency(refund, counted, order) ?? counted[0]?.['currency']);
  const money: Money = (value) => fromDecimal(value, currency);
  const state = moved.length > 0 ? 'done' : 'undone';
  const named = { order_ref: ref, ...given('refund_id', refund['id']), state } as const;
  const amounts = counted.map((each) => grossOf(each, { refund, order, currency, money }));
  if (amounts.includes(null)) return { ...named, ...asShown(counted) };
  const gross = sum(amounts.map((each) => each ?? 0));
  const back = shippingOf(refund, money);
  const other = sum(list(refund['duties']).map((duty) => money(shopMoney(duty, 'amount'))));
  const items = refundedItems(refund, money, gross - back.shipping - back.shipping_tax - other);
  return {
    ...named,
    currency,
    gross,
    ...(items.length > 0 && { items }),
    ...(back.shipping > 0 && back),
    ...(other > 0 && { other }),
  };
}

const pricesOf = (refund: Fields): readonly (readonly [of: Fields, field: string])[] => [
  ...list(refund['refund_line_items']).flatMap((line) => [
    [line, 'subtotal'] as const,
    [line, 'total_tax'] as const,
  ]),
  ...list(refund['refund_shipping_lines']).map((line) => [line, 'subtotal_amount'] as const),
  ...list(refund['order_adjustments']).map((each) => [each, 'amount'] as const),
];

/** The shop's currency, which every amount with two currencies names. */
function shopCurrency(refund: Fields, attempts: readonly Fields[], order: Fields): string | undefined {
  const named = [...attempts.map((each) => [each, 'amount'] as const), ...pricesOf(refund)];
  return [
    ...named.map(([of, field]) => text(moneySet(of, field, 'shop_money')['currency_code'])),
    text(order['currency']),
  ].find((code) => code !== '');
}

interface RefundContext {
  readonly refund: Fields;
  readonly order: Fields;
  readonly currency: string;
  readonly money: Money;
}

/**
 * What an attempt gave back, in the shop's currency. Where it only has the amount that the buyer was shown,
 * its worth comes from the lines of the refund, else from the order; null without either.
 */
function grossOf(attempt: Fields, { refund, order, currency, money }: RefundContext): Minor | null {
  const own = text(moneySet(attempt, 'amount', 'shop_money')['amount']);
  const shown = text(attempt['currency']).toUpperCase();
  if (own !== '' || shown === '' || shown === currency) return money(own || attempt['amount']);
  const amount = fromDecimal(attempt['amount'], currencyOf(shown));
  const both = (pairs: readonly (readonly [Fields, string])[]): readonly [shop: number, shown: number] => [
    sum(pairs.map(([of, field]) => Math.abs(money(moneySet(of, field, 'shop_money')['amount'])))),
    sum(
      pairs.map(([of, field]) =>
        Math.abs(fromDecimal(moneySet(of, field, 'presentment_money')['amount'], shown)),
      ),
    ),
  ];
  const lines = pricesOf(refund);
  const withoutTax = lines.filter(([, field]) => field !== 'total_tax');
  const rates = [both(lines), both(withoutTax), both([[order, 'total_price']])];
  const [shop, presented] = rates.find(([, of]) => of === amount && of > 0) ??
    rates.find(([of, at]) => of > 0 && at > 0) ?? [0, 0];
  return presented === 0 ? null : scale(amount, shop, presented);
}

/** The money as the buyer saw it: its worth in the shop's currency is unknown. */
function asShown(attempts: readonly Fields[]): Pick<ProviderRefund, 'currency' | 'gross'> {
  const currency = currencyOf(attempts[0]?.['currency']);
  return { currency, gross: sum(attempts.map((each) => fromDecimal(each['amount'], currency))) };
}

/** Shipping that was paid back: lines of its own, in older versions of the interface adjustments. */
function shippingOf(refund: Fields, money: Money): { shipping: Minor; shipping_tax: Minor } {
  const lines = list(refund['refund_shipping_lines']);
  if (lines.length > 0) {
    return {
      shipping: sum(lines.map((line) => money(shopMoney(line, 'subtotal_amount')))),
      shipping_tax: sum(lines.map((line) => shippingTax(line, money))),
    };
  }
  const adjusted = list(refund['order_adjustments']).filter((each) => each['kind'] === 'shipping_refund');
  return {
    shipping: sum(adjusted.map((each) => Math.abs(money(shopMoney(each, 'amount'))))),
    shipping_tax: sum(adjusted.map((each) => Math.abs(money(shopMoney(each, 'tax_amount'))))),
  };
}

/** The tax of a shipping line, as far as the line was paid back. */
function shippingTax(line: Fields, money: Money): Minor {
  const stated = shopMoney(line, 'tax_amount');
  if (stated !== undefined && stated !== null) return money(stated);
  const shipping = fields(line['shipping_line']);
  const tax = sum(list(shipping['tax_lines']).map((each) => money(shopMoney(each, 'price'))));
  const price = money(shopMoney(shipping, 'discounted_price') ?? shopMoney(shipping, 'price'));
  return price <= 0 ? tax : scale(tax, Math.min(price, money(shopMoney(line, 'subtotal_amount'))), price);
}

/**
 * Where prices contain tax, so does the subtotal of a line. The payload does not show which is the case, but
 * then subtotal and tax together exceed the money given back.
 */
function refundedItems(refund: Fields, money: Money, paidBack: number): Items {
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
 * The money given back differs from the worth of the lines: it is spread over them, and its tax comes from
 * the order.
 */
function asPaidBack(lines: Items, paidBack: number): Items {
  const shares = split(
    atLeastZero(paidBack),
    lines.map(({ net }) => Math.max(0, net)),
  );
  return lines.map((line, at) => ({ ...line, gross: shares[at] ?? minor(0) }));
}
