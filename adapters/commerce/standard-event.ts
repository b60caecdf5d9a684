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
import { NOTHING, sum } from './amounts.js';
import { fields, given, text, whole, type Fields } from './reading.js';
import { Part } from './standard-fields.js';
import { UnreadableField } from '../../src/core/unreadable-field.js';

/**
 * Reads a `ProviderEvent` from JSON: amounts are decimal text, times epoch milliseconds or ISO 8601. Null for
 * an unknown type; throws `UnreadableField` (docs/own-shop.md).
 */
export function readEvent(body: Fields, sentAt: number): ProviderEvent | null {
  const event = new Part(body, '');
  const base = baseOf(event, sentAt);
  switch (body['type']) {
    case 'order.created':
    case 'order.paid':
    case 'order.attributed':
      return {
        ...base,
        type: body['type'],
        order: readOrder(ofEvent(event, 'order'), base.at, body['type']),
      };
    case 'subscription.renewed':
      return {
        ...base,
        type: 'subscription.renewed',
        order: renewal(readOrder(ofEvent(event, 'order'), base.at, body['type'])),
      };
    case 'order.refunded':
      return { ...base, type: 'order.refunded', refund: readRefund(ofEvent(event, 'refund').inCurrency()) };
    case 'order.canceled':
      return { ...base, ...orderRef(event), type: 'order.canceled', reason: readReason(body['reason']) };
    case 'dispute.opened':
    case 'dispute.won':
    case 'dispute.lost':
      return { ...base, ...orderRef(event), ...readDispute(event), type: body['type'] };
    case 'order.linked':
      return { ...base, ...orderRef(event), type: 'order.linked', refs: readRefs(body['refs']) };
    case 'lead.created':
      return { ...base, type: 'lead.created', lead: readLead(ofEvent(event, 'lead')) };
    default:
      return privacyEvent(body, base);
  }
}

/** Requests to erase or to export a buyer's data, and shops that leave; null for an unknown type. */
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

/** A part of the event, which is easily put into `data`, as other systems do. */
function ofEvent(event: Part, name: 'order' | 'refund' | 'lead'): Part {
  if (!event.has(name) && fields(event.of['data'])[name] !== undefined)
    throw new UnreadableField(`data.${name}`, 'place');
  return event.part(name);
}

const baseOf = (event: Part, sentAt: number): Base => ({
  at: event.time('at', sentAt),
  account: text(event.of['account']),
  ...(typeof event.of['test'] === 'boolean' && { test: event.of['test'] }),
});

const orderRef = (event: Part): { order_ref: string } => ({ order_ref: event.id('order_ref') });

const readDispute = (event: Part): { dispute_id: string; inquiry?: true } => ({
  dispute_id: event.id('dispute_id'),
  ...(event.of['inquiry'] === true && { inquiry: true }),
});

const renewal = (order: ProviderOrder): RenewalEvent['order'] => ({
  ...order,
  subscription: { id: order.subscription?.id ?? '', phase: 'renewal' },
});

const PHASES = ['renewal', 'change', 'other'] as const;

const readRefs = (value: unknown): string[] => (Array.isArray(value) ? value.map(text).filter(Boolean) : []);

function readOrder(sent: Part, at: number, type: string): ProviderOrder {
  const part = sent.inCurrency();
  const { of: order, currency } = part;
  const subscription = fields(order['subscription']);
  const phase = PHASES.find((each) => each === subscription['phase']) ?? 'first';
  return {
    id: part.id('id'),
    currency,
    // The affiliate of an order may be reported before its amounts.
    totals: readTotals(
      type === 'order.attributed' && !part.has('totals')
        ? new Part({ goods: '0' }, '', currency)
        : part.part('totals'),
    ),
    items: part.parts('items').map(readItem),
    coupons: part.parts('coupons').map((coupon) => ({
      ...given('code', coupon.of['code']),
      ...given('id', coupon.of['id']),
      discount: coupon.amount('discount'),
      ...(coupon.of['free_shipping'] === true && { free_shipping: true }),
    })),
    customer: readCustomer(fields(order['customer'])),
    attribution: readAttribution(fields(order['attribution'])),
    created_at: part.time('created_at', at),
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

function readTotals(totals: Part): Totals {
  const parts = {
    goods: totals.given('goods'),
    goods_tax: totals.amount('goods_tax'),
    shipping: totals.amount('shipping'),
    shipping_tax: totals.amount('shipping_tax'),
    fees: totals.amount('fees'),
    fees_tax: totals.amount('fees_tax'),
  };
  const grand = totals.has('grand_total') ? totals.amount('grand_total') : sum(Object.values(parts));
  return {
    ...parts,
    goods_before_discount: totals.has('goods_before_discount')
      ? totals.amount('goods_before_discount')
      : parts.goods,
    grand_total: grand,
    paid: totals.has('paid') ? totals.amount('paid') : grand,
  };
}

function readItem(item: Part): ProviderItem {
  const { of } = item;
  const net = item.given('net');
  return {
    id: text(of['id']),
    product_id: text(of['product_id']) || null,
    title: text(of['title']),
    quantity: whole(of['quantity'], 1),
    net,
    net_before_discount: item.has('net_before_discount') ? item.amount('net_before_discount') : net,
    tax: item.amount('tax'),
    ...given('variant_id', of['variant_id']),
    ...(Array.isArray(of['category_ids']) && { category_ids: readRefs(of['category_ids']) }),
    ...(of['commissionable'] === false && { commissionable: false }),
  };
}

function readRefund(refund: Part): ProviderRefund {
  const { of, currency } = refund;
  const state = of['state'] === 'undone' ? 'undone' : 'done';
  return {
    order_ref: refund.id('order_ref'),
    // What is undone is known by its id.
    gross: state === 'undone' ? refund.amount('gross') : refund.given('gross'),
    currency,
    state,
    ...given('refund_id', of['refund_id']),
    ...(Array.isArray(of['items']) && {
      items: refund.parts('items').map((item) => ({
        item_id: item.id('item_id'),
        net: item.given('net'),
        tax: item.amount('tax'),
      })),
    }),
    ...(refund.has('fees') && { fees: refund.amount('fees') }),
    ...(refund.has('other') && { other: refund.amount('other') }),
    ...(refund.has('shipping') && {
      shipping: refund.amount('shipping'),
      shipping_tax: refund.has('shipping_tax') ? refund.amount('shipping_tax') : NOTHING,
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

const readLead = (lead: Part): ProviderLead => ({
  id: lead.id('id'),
  kind: lead.of['kind'] === 'opt_in' ? 'opt_in' : 'lead',
  customer: readCustomer(fields(lead.of['customer'])),
  attribution: readAttribution(fields(lead.of['attribution'])),
});

function readReason(value: unknown): 'canceled' | 'failed' | 'voided' | 'deleted' {
  return value === 'failed' || value === 'voided' || value === 'deleted' ? value : 'canceled';
}
