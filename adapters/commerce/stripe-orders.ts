import { minor, scale, type Minor } from '../../src/core/money.js';
import type {
  Attribution,
  ProviderEvent,
  ProviderItem,
  ProviderOrder,
  Subscription,
  Totals,
} from '../commerce.js';
import { atLeastZero, currencyOf, fromVendorMinor, lowered, sum } from './amounts.js';
import { fields, given, idOf, list, text, texts, whole, type Fields } from './reading.js';
import type { StripeEnvelope, StripeReading } from './stripe-envelope.js';

/**
 * A first invoice and its Checkout session report the same sale; the invoice waits this long for the session,
 * which names the affiliate.
 */
const SESSION_WITHIN = 600_000;

/** Invoices that do not belong to a subscription's cycle. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set([
  'manual',
  'quote_accept',
  'automatic_pending_invoice_item_invoice',
]);

type Money = (value: unknown) => Minor;

/** A Checkout session is an order; in mode `subscription` it only names the affiliate of the invoice. */
export function checkoutEvents(
  session: Fields,
  { type, ...base }: StripeEnvelope,
  reading: StripeReading,
): readonly ProviderEvent[] {
  const mode = session['mode'];
  if (mode === 'setup' || text(session['id']) === '') return [];
  const order = checkoutOrder(session, base.at, reading);
  if (type === 'checkout.session.async_payment_failed')
    return [{ ...base, type: 'order.canceled', order_ref: order.id, reason: 'failed' }];
  if (mode === 'subscription') return [{ ...base, type: 'order.attributed', order }];
  return [
    {
      ...base,
      type:
        session['payment_status'] === 'unpaid' && type === 'checkout.session.completed'
          ? 'order.created'
          : 'order.paid',
      order,
    },
  ];
}

function checkoutOrder(session: Fields, at: number, { digits }: StripeReading): ProviderOrder {
  const { currency, money } = sessionMoney(session, digits);
  const details = fields(session['total_details']);
  const shipping = shippingOf(session);
  const [total, tax, shippingTax] = [
    money(session['amount_total']),
    money(details['amount_tax']),
    money(shipping['amount_tax']),
  ];
  const shippingNet = atLeastZero(money(shipping['amount_total']) - shippingTax);
  const goods = atLeastZero(total - tax - shippingNet);
  const totals = totalsOf({
    goods,
    discount: discountNet(money(details['amount_discount']), {
      net: goods,
      tax: atLeastZero(tax - shippingTax),
      included: isIncluded(session, shipping, money),
    }),
    tax,
    shipping: shippingNet,
    shippingTax,
    total,
    paid: total,
  });
  const customer = fields(session['customer_details']);
  const subscription = idOf(session['subscription']);
  const id = idOf(session['invoice']) || idOf(session['payment_intent']) || text(session['id']);
  return {
    id,
    refs: texts(session['id'], session['payment_intent'], session['invoice'], session['subscription']).filter(
      (ref) => ref !== id,
    ),
    currency,
    totals,
    items: sessionItems(session, totals, money),
    coupons: discounts(session['discounts'], money(details['amount_discount'])),
    customer: {
      ...given('ref', idOf(session['customer'])),
      ...given('email', customer['email'] ?? session['customer_email']),
      ...given('name', customer['name']),
    },
    attribution: tokenIn(session['client_reference_id'], fields(session['metadata'])['fa_ref']),
    created_at: whole(session['created']) * 1000 || at,
    ...(subscription !== '' && { subscription: { id: subscription, phase: 'first' as const } }),
  };
}

/** Endpoints of versions before 2022-08-01 send only the sum of all shipping. */
function shippingOf(session: Fields): Fields {
  const sent = session['shipping_cost'];
  const amount = fields(session['total_details'])['amount_shipping'];
  return sent === undefined || sent === null
    ? { amount_subtotal: amount, amount_total: amount }
    : fields(sent);
}

/**
 * Is tax included in the prices? Then the total is subtotal minus discount plus shipping; else tax is added
 * to that.
 */
function isIncluded(session: Fields, shipping: Fields, money: Money): boolean {
  if (typeof session['amount_subtotal'] !== 'number') return false;
  const details = fields(session['total_details']);
  const before =
    money(session['amount_subtotal']) -
    money(details['amount_discount']) +
    money(shipping['amount_subtotal']);
  return Math.abs(money(session['amount_total']) - before) <= 1;
}

/** The discount without tax: where prices contain tax, a discount contains its share of it. */
function discountNet(discount: Minor, part: { net: Minor; tax: Minor; included: boolean }): Minor {
  return part.included && part.net + part.tax > 0 ? scale(discount, part.net, part.net + part.tax) : discount;
}

/** Amounts of a session that the vendor converted are turned back into the currency the shop is paid in. */
function sessionMoney(session: Fields, digits: StripeReading['digits']): { currency: string; money: Money } {
  const conversion = fields(session['currency_conversion']);
  const [source, shown] = [whole(conversion['amount_total']), whole(session['amount_total'])];
  if (text(conversion['source_currency']) === '' || source <= 0 || shown <= 0) {
    const currency = currencyOf(session['currency']);
    return { currency, money: (value) => fromVendorMinor(value, currency, digits) };
  }
  const currency = currencyOf(conversion['source_currency']);
  return {
    currency,
    money: (value) => fromVendorMinor(scale(minor(whole(value)), source, shown), currency, digits),
  };
}

/** A session has line items only when it was expanded. */
export function sessionItems(session: Fields, totals: Totals, money: Money): ProviderItem[] {
  const lines = list(fields(session['line_items'])['data']);
  if (lines.length === 0) return totals.goods === 0 ? [] : [wholeOrder(text(session['id']), totals)];
  return lines.map((line) => {
    const [discount, tax] = [money(line['amount_discount']), money(line['amount_tax'])];
    const net = atLeastZero(money(line['amount_total']) - tax);
    const included =
      typeof line['amount_subtotal'] === 'number' &&
      Math.abs(money(line['amount_subtotal']) - discount - money(line['amount_total'])) <= 1;
    return {
      id: text(line['id']),
      product_id: idOf(fields(line['price'])['product']) || null,
      title: text(line['description']),
      quantity: whole(line['quantity'], 1),
      net,
      net_before_discount: sum([net, discountNet(discount, { net, tax, included })]),
      tax,
    };
  });
}

const wholeOrder = (id: string, totals: Totals): ProviderItem => ({
  id,
  product_id: null,
  title: '',
  quantity: 1,
  net: totals.goods,
  net_before_discount: totals.goods_before_discount,
  tax: totals.goods_tax,
});

export function invoiceEvents(
  invoice: Fields,
  { type, ...base }: StripeEnvelope,
  reading: StripeReading,
): readonly ProviderEvent[] {
  const id = text(invoice['id']);
  if (id === '') return [];
  // An uncollectible invoice may still be paid; a voided one may not.
  const end = type === 'invoice.marked_uncollectible' ? 'failed' : 'voided';
  if (type !== 'invoice.paid') return [{ ...base, type: 'order.canceled', order_ref: id, reason: end }];
  const reason = text(invoice['billing_reason']);
  const subscription = subscriptionOf(invoice, reason);
  const order = invoiceOrder(invoice, { at: base.at, subscription }, reading);
  return subscription?.phase === 'renewal'
    ? [{ ...base, type: 'subscription.renewed', order: { ...order, subscription } }]
    : [{ ...base, type: 'order.paid', order }];
}

function subscriptionOf(invoice: Fields, reason: string): Subscription | null {
  const id =
    idOf(fields(fields(invoice['parent'])['subscription_details'])['subscription']) ||
    idOf(invoice['subscription']);
  if (id === '') return null;
  if (OF_THEIR_OWN.has(reason)) return { id, phase: 'other' };
  if (reason === 'subscription_cycle' || reason === 'subscription_threshold') return { id, phase: 'renewal' };
  return { id, phase: reason === 'subscription_update' ? 'change' : 'first' };
}

function invoiceOrder(
  invoice: Fields,
  { at, subscription }: { at: number; subscription: Subscription | null },
  { digits }: StripeReading,
): ProviderOrder {
  const currency = currencyOf(invoice['currency']);
  const money: Money = (value) => fromVendorMinor(value, currency, digits);
  const shipping = fields(invoice['shipping_cost']);
  const shippingTax = money(shipping['amount_tax']);
  const shippingNet = atLeastZero(money(shipping['amount_total']) - shippingTax);
  const total = money(invoice['total']);
  const tax = Array.isArray(invoice['total_taxes'])
    ? sum(list(invoice['total_taxes']).map((each) => money(each['amount'])))
    : money(invoice['tax']);
  const net =
    invoice['total_excluding_tax'] === undefined || invoice['total_excluding_tax'] === null
      ? total - tax
      : money(invoice['total_excluding_tax']);
  const discount = sum(list(invoice['total_discount_amounts']).map((each) => money(each['amount'])));
  const goods = atLeastZero(net - shippingNet);
  const included = list(invoice['total_taxes']).some(isInclusive);
  const totals = totalsOf({
    goods,
    discount: discountNet(discount, { net: goods, tax: atLeastZero(tax - shippingTax), included }),
    tax,
    shipping: shippingNet,
    shippingTax,
    total: atLeastZero(total),
    paid: atLeastZero(invoice['amount_paid'] === undefined ? total : money(invoice['amount_paid'])),
  });
  const details = fields(fields(invoice['parent'])['subscription_details']);
  const metadata = [
    fields(details['metadata']),
    fields(fields(invoice['subscription_details'])['metadata']),
    fields(invoice['metadata']),
  ];
  const attribution = tokenIn(...metadata.map((each) => each['fa_ref']));
  const paidAt = whole(fields(invoice['status_transitions'])['paid_at']) * 1000;
  return {
    id: text(invoice['id']),
    ...given('number', invoice['number']),
    refs: texts(invoice['payment_intent'], invoice['charge']),
    currency,
    totals,
    items: lines(invoice, money),
    coupons: discounts(invoice['discounts'], discount),
    attribution,
    created_at: whole(invoice['created']) * 1000 || at,
    customer: {
      ...given('ref', idOf(invoice['customer'])),
      ...given('email', invoice['customer_email']),
      ...given('name', invoice['customer_name']),
    },
    ...(paidAt > 0 && { paid_at: paidAt }),
    ...(subscription && { subscription }),
    ...(subscription?.phase === 'first' &&
      attribution.token === undefined && { attribution_within: SESSION_WITHIN }),
  };
}

/** Lines below zero give back what an earlier plan cost: they lower the other lines in proportion. */
function lines(invoice: Fields, money: Money): ProviderItem[] {
  const all = list(fields(invoice['lines'])['data']);
  const given = all
    .filter((line) => whole(line['amount']) < 0)
    .map((line) => lineItem({ ...line, amount: -whole(line['amount']) }, money));
  return lowered(
    all.filter((line) => whole(line['amount']) >= 0).map((line) => lineItem(line, money)),
    { net: sum(given.map(({ net }) => net)), tax: sum(given.map(({ tax }) => Math.abs(tax))) },
  );
}

function lineItem(line: Fields, money: Money): ProviderItem {
  const discount = sum(list(line['discount_amounts']).map((each) => money(each['amount'])));
  const taxes = [...list(line['taxes']), ...list(line['tax_amounts'])];
  const inclusive = sum(taxes.filter(isInclusive).map((tax) => money(tax['amount'])));
  const net = atLeastZero(money(line['amount']) - discount - inclusive);
  const product =
    idOf(fields(fields(line['pricing'])['price_details'])['product']) ||
    idOf(fields(line['price'])['product']);
  return {
    id: text(line['id']),
    product_id: product || null,
    title: text(line['description']),
    quantity: whole(line['quantity'], 1),
    net,
    net_before_discount: sum([net, discountNet(discount, { net, tax: inclusive, included: inclusive > 0 })]),
    tax: sum(taxes.map((tax) => money(tax['amount']))),
  };
}

const isInclusive = (tax: Fields): boolean =>
  tax['tax_behavior'] === 'inclusive' || tax['inclusive'] === true;

interface Parts {
  goods: Minor;
  discount: Minor;
  tax: Minor;
  shipping: Minor;
  shippingTax: Minor;
  total: Minor;
  paid: Minor;
}

const totalsOf = ({ goods, discount, tax, shipping, shippingTax, total, paid }: Parts): Totals => ({
  goods,
  goods_before_discount: sum([goods, discount]),
  goods_tax: atLeastZero(tax - shippingTax),
  shipping,
  shipping_tax: shippingTax,
  fees: minor(0),
  fees_tax: minor(0),
  grand_total: total,
  paid,
});

/** The payload has the ids of promotion codes, not what the buyer typed. */
function discounts(value: unknown, total: Minor): ProviderOrder['coupons'] {
  const ids = (Array.isArray(value) ? value : [])
    .map(
      (each: unknown) => idOf(fields(each)['promotion_code']) || idOf(fields(each)['coupon']) || idOf(each),
    )
    .filter((id) => id !== '');
  return [...new Set(ids)].map((id) => ({ id, discount: total }));
}

function tokenIn(...values: readonly unknown[]): Attribution {
  const token = values.map(text).find((value) => value !== '');
  return token === undefined ? {} : { token };
}
