import type { Minor } from '../../src/core/money.js';
import type {
  Attribution,
  ProviderCustomer,
  ProviderEvent,
  ProviderItem,
  ProviderLead,
  ProviderOrder,
  ProviderRefund,
  RenewalEvent,
  Totals,
} from '../commerce.js';
import { currencyOf, fromDecimal, NOTHING, sum } from './amounts.js';
import { fields, given, list, text, timeOf, whole, type Fields } from './reading.js';

type Money = (value: unknown) => Minor;

/**
 * Reads a `ProviderEvent` from JSON: amounts are decimal text, times epoch milliseconds or ISO 8601. Null for
 * an unknown type.
 */
export function readEvent(body: Fields, sentAt: number): ProviderEvent | null {
  const base = baseOf(body, sentAt);
  switch (body['type']) {
    case 'order.created':
    case 'order.paid':
    case 'order.attributed':
      return { ...base, type: body['type'], order: readOrder(body['order'], base.at) };
    case 'subscription.renewed':
      return { ...base, type: 'subscription.renewed', order: renewal(readOrder(body['order'], base.at)) };
    case 'order.refunded':
      return { ...base, type: 'order.refunded', refund: readRefund(fields(body['refund'])) };
    case 'order.canceled':
      return { ...base, ...orderRef(body), type: 'order.canceled', reason: readReason(body['reason']) };
    case 'dispute.opened':
    case 'dispute.won':
    case 'dispute.lost':
      return { ...base, ...orderRef(body), ...readDispute(body), type: body['type'] };
    case 'order.linked':
      return { ...base, ...orderRef(body), type: 'order.linked', refs: readRefs(body['refs']) };
    case 'lead.created':
      return { ...base, type: 'lead.created', lead: readLead(fields(body['lead'])) };
    default:
      return privacyEvent(body, base);
  }
}

/** Requests to erase or to tell a buyer's data, and shops that leave; null for an unknown type. */
function privacyEvent(body: Fields, base: Base): ProviderEvent | null {
  switch (body['type']) {
    case 'customer.erase':
    case 'customer.requested':
      return {
        ...base,
        type: body['type'],
        customer_ref: text(body['customer_ref']),
        ...given('email', body['email']),
        ...(Array.isArray(body['order_refs']) && { order_refs: readRefs(body['order_refs']) }),
      };
    case 'account.erase':
    case 'account.disconnected':
      return { ...base, type: body['type'] };
    default:
      return null;
  }
}

type Base = Pick<ProviderEvent, 'at' | 'account' | 'test'>;

const baseOf = (body: Fields, sentAt: number): Base => ({
  at: readTime(body['at'], sentAt),
  account: text(body['account']),
  ...(typeof body['test'] === 'boolean' && { test: body['test'] }),
});

const orderRef = (body: Fields): { order_ref: string } => ({ order_ref: text(body['order_ref']) });

const readDispute = (body: Fields): { dispute_id: string; inquiry?: true } => ({
  dispute_id: text(body['dispute_id']),
  ...(body['inquiry'] === true && { inquiry: true }),
});

const renewal = (order: ProviderOrder): RenewalEvent['order'] => ({
  ...order,
  subscription: { id: order.subscription?.id ?? '', phase: 'renewal' },
});

const PHASES = ['renewal', 'change', 'other'] as const;

const readRefs = (value: unknown): string[] => (Array.isArray(value) ? value.map(text).filter(Boolean) : []);

function readOrder(value: unknown, at: number): ProviderOrder {
  const order = fields(value);
  const currency = currencyOf(order['currency']);
  const money: Money = (amount) => fromDecimal(amount, currency);
  const subscription = fields(order['subscription']);
  const phase = PHASES.find((each) => each === subscription['phase']) ?? 'first';
  return {
    id: required(order['id']),
    currency,
    totals: readTotals(fields(order['totals']), money),
    items: list(order['items']).map((item) => readItem(item, money)),
    coupons: list(order['coupons']).map((coupon) => ({
      ...given('code', coupon['code']),
      ...given('id', coupon['id']),
      discount: money(coupon['discount']),
    })),
    customer: readCustomer(fields(order['customer'])),
    attribution: readAttribution(fields(order['attribution'])),
    created_at: readTime(order['created_at'], at),
    ...given('sub_id', order['sub_id']),
    ...given('number', order['number']),
    ...given('upgrade_of', order['upgrade_of']),
    ...(Array.isArray(order['refs']) && { refs: readRefs(order['refs']) }),
    ...(text(subscription['id']) !== '' && {
      subscription: {
        id: text(subscription['id']),
        phase,
        ...(subscription['trial'] === true && { trial: true }),
      },
    }),
    ...(order['created_by_staff'] === true && { created_by_staff: true }),
  };
}

function readTotals(totals: Fields, money: Money): Totals {
  const parts = {
    goods: money(totals['goods']),
    goods_tax: money(totals['goods_tax']),
    shipping: money(totals['shipping']),
    shipping_tax: money(totals['shipping_tax']),
    fees: money(totals['fees']),
    fees_tax: money(totals['fees_tax']),
  };
  const grand =
    totals['grand_total'] === undefined ? sum(Object.values(parts)) : money(totals['grand_total']);
  return {
    ...parts,
    goods_before_discount:
      totals['goods_before_discount'] === undefined ? parts.goods : money(totals['goods_before_discount']),
    grand_total: grand,
    paid: totals['paid'] === undefined ? grand : money(totals['paid']),
  };
}

function readItem(item: Fields, money: Money): ProviderItem {
  const net = money(item['net']);
  return {
    id: text(item['id']),
    product_id: text(item['product_id']) || null,
    title: text(item['title']),
    quantity: whole(item['quantity'], 1),
    net,
    net_before_discount: item['net_before_discount'] === undefined ? net : money(item['net_before_discount']),
    tax: money(item['tax']),
    ...given('variant_id', item['variant_id']),
    ...(Array.isArray(item['category_ids']) && { category_ids: readRefs(item['category_ids']) }),
    ...(item['commissionable'] === false && { commissionable: false }),
  };
}

function readRefund(refund: Fields): ProviderRefund {
  const currency = currencyOf(refund['currency']);
  const money: Money = (amount) => fromDecimal(amount, currency);
  return {
    order_ref: required(refund['order_ref']),
    gross: money(refund['gross']),
    currency,
    state: refund['state'] === 'undone' ? 'undone' : 'done',
    ...given('refund_id', refund['refund_id']),
    ...(Array.isArray(refund['items']) && {
      items: list(refund['items']).map((item) => ({
        item_id: text(item['item_id']),
        net: money(item['net']),
        tax: money(item['tax']),
      })),
    }),
    ...(refund['shipping'] === undefined
      ? {}
      : {
          shipping: money(refund['shipping']),
          shipping_tax: refund['shipping_tax'] === undefined ? NOTHING : money(refund['shipping_tax']),
        }),
  };
}

function readCustomer(customer: Fields): ProviderCustomer {
  const user = whole(customer['user_id']);
  return {
    ...given('ref', customer['ref']),
    ...given('email', customer['email']),
    ...given('name', customer['name']),
    ...given('ip', customer['ip']),
    ...given('payment_fingerprint', customer['payment_fingerprint']),
    ...(user > 0 && { user_id: user }),
  };
}

function readAttribution(attribution: Fields): Attribution {
  const affiliate = whole(attribution['affiliate_id']);
  return {
    ...given('token', attribution['token']),
    ...given('landing_url', attribution['landing_url']),
    ...given('cookie', attribution['cookie']),
    ...(affiliate > 0 && { affiliate_id: affiliate }),
  };
}

const readLead = (lead: Fields): ProviderLead => ({
  id: required(lead['id']),
  kind: lead['kind'] === 'opt_in' ? 'opt_in' : 'lead',
  customer: readCustomer(fields(lead['customer'])),
  attribution: readAttribution(fields(lead['attribution'])),
});

function readReason(value: unknown): 'canceled' | 'failed' | 'voided' | 'deleted' {
  return value === 'failed' || value === 'voided' || value === 'deleted' ? value : 'canceled';
}

function required(value: unknown): string {
  const id = text(value).trim();
  if (id === '') throw new TypeError('An id is missing.');
  return id;
}

const readTime = (value: unknown, fallback: number): number =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : timeOf(value, fallback);
