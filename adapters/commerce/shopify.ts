import { own } from '../../src/core/own.js';
import type { CommerceProvider, Delivery, ProviderEvent } from '../commerce.js';
import { fields, given, idOf, text, texts, timeOf, type Fields } from './reading.js';
import { shopifyApi, type ShopifyApi } from './shopify-api.js';
import { lastSegment, shopifyOrder } from './shopify-order.js';
import { shopifyRefund } from './shopify-refund.js';
import { checkSecrets, sha256, verifyBody, type Secrets } from './signature.js';

/** The vendor renames these sources without notice, so only their beginning is compared. */
const RENEWAL_SOURCES = ['subscription_contract'];
const STAFF_SOURCES = ['shopify_draft_order', 'pos'];
const LATE_MS = 172_800_000;

export interface ShopifyOptions extends Pick<
  CommerceProvider,
  'enabled' | 'aliases' | 'catalog' | 'couponAffiliate' | 'acceptUnsigned'
> {
  /**
   * Test orders are signed like others, so they never earn in mode `live`, which is the default; in mode
   * `test`, only they do.
   */
  readonly mode?: CommerceProvider['mode'];
  /** The app's client secret, or the key shown beside webhooks that were created by hand. */
  readonly secrets: Secrets;
  readonly key?: string;
  /** How the `source_name` of orders begins that are renewals of a subscription. */
  readonly renewalSources?: readonly string[];
  /**
   * The `source_name` of orders that the shop's staff made; for these, and for every order that names a
   * member of staff (`user_id`), only a coupon credits an affiliate. Default: `['shopify_draft_order',
   * 'pos']`.
   */
  readonly staffSources?: readonly string[];
  /**
   * Asks the shops for what the payload lacks (the card that paid), and daily for orders whose deliveries
   * never came. Off without it.
   */
  readonly api?: ShopifyApi;
  /** The first of these two, done in a way of your own. */
  readonly enrich?: (event: ProviderEvent) => Promise<ProviderEvent>;
}

/** The host's settings for reading orders. */
interface Sources {
  readonly renewalSources: readonly string[];
  readonly staffSources: readonly string[];
}
interface Topic extends Sources {
  readonly at: number;
  readonly account: string;
  readonly test?: boolean;
}
type Handler = (body: Fields, topic: Topic) => readonly ProviderEvent[];

const TOPICS: Readonly<Record<string, Handler>> = {
  'orders/create': orderEvents,
  'orders/paid': orderEvents,
  'orders/updated': orderEvents,
  'orders/cancelled': canceled,
  'refunds/create': refunded,
  'disputes/create': disputed,
  'disputes/update': disputed,
  'subscription_contracts/create': contractMade,
  'subscription_billing_attempts/success': instalmentMade,
  'customers/redact': (body, topic) => [
    { ...baseOf(topic), type: 'customer.erase', ...personOf(body, 'orders_to_redact') },
  ],
  'customers/data_request': (body, topic) => [
    { ...baseOf(topic), type: 'customer.requested', ...personOf(body, 'orders_requested') },
  ],
  'shop/redact': (_, topic) => [{ ...baseOf(topic), type: 'account.erase' }],
  'app/uninstalled': (_, topic) => [{ ...baseOf(topic), type: 'account.disconnected' }],
};

export function shopify({
  secrets,
  key = 'shopify',
  renewalSources = RENEWAL_SOURCES,
  staffSources = STAFF_SOURCES,
  mode = 'live',
  api,
  enrich: own,
  ...more
}: ShopifyOptions): CommerceProvider {
  checkSecrets('shopify', secrets);
  const sources: Sources = { renewalSources, staffSources };
  const asked =
    api &&
    shopifyApi(api, {
      events: (order, shop) => changed(order, shop, sources),
      order: (order) => shopifyOrder(order, 0, staffSources),
    });
  const enrich = own ?? asked?.enrich;
  return {
    ...(asked && { changedSince: asked.changedSince, fetchOrder: asked.fetchOrder }),
    ...more,
    key,
    mode,
    uniqueIds: true,
    info: {
      title: 'Shopify',
      description: 'Orders, refunds and subscriptions of Shopify shops.',
      type: 'commerce',
    },
    abilities: new Set([
      'coupons',
      'renewals',
      'products',
      'disputes',
      ...(more.catalog ? ['categories' as const] : []),
    ]),
    orderUrl: ({ account, id }) =>
      account === '' ? null : `https://${account}/admin/orders/${encodeURIComponent(id)}`,
    webhook: {
      lateAfterMs: LATE_MS,
      verify: (delivery) => verifyBody(delivery.body, named(delivery, 'hmac-sha256'), secrets),
      deliveryKey: (delivery) => {
        const id = named(delivery, 'webhook-id');
        return id === undefined || id === ''
          ? sha256(named(delivery, 'topic') ?? '', delivery.body)
          : `${named(delivery, 'shop-domain') ?? ''}:${id}`;
      },
      parse: (delivery) => parse(delivery, sources),
      ...(enrich && { enrich }),
    },
  };
}

/** Newer deliveries have header names without `X-`. */
const named = ({ header }: Delivery, name: string): string | undefined =>
  header(`shopify-${name}`) ?? header(`x-shopify-${name}`);

function parse(delivery: Delivery, sources: Sources): readonly ProviderEvent[] {
  const name = (named(delivery, 'topic') ?? '').toLowerCase();
  const handler = own(TOPICS, name);
  const body = fields(delivery.json);
  const at = timeOf(named(delivery, 'triggered-at'), timeOf(body['updated_at'] ?? body['created_at']));
  const account = (named(delivery, 'shop-domain') ?? '').toLowerCase();
  return (
    handler?.(body, {
      at,
      account,
      ...sources,
      ...(typeof body['test'] === 'boolean' && { test: body['test'] }),
    }) ?? []
  );
}

/** The events of an order from the shop's list. */
function changed(order: Fields, account: string, sources: Sources): readonly ProviderEvent[] {
  const topic: Topic = {
    at: timeOf(order['updated_at'] ?? order['created_at']),
    account,
    ...sources,
    ...(typeof order['test'] === 'boolean' && { test: order['test'] }),
  };
  return orderEvents(order, topic);
}

const baseOf = ({ at, account, test }: Topic): { at: number; account: string; test?: boolean } => ({
  at,
  account,
  ...(test === undefined ? {} : { test }),
});

/** `financial_status` shows whether the order is paid, for every topic. */
function orderEvents(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const base = baseOf(topic);
  const order = shopifyOrder(body, topic.at, topic.staffSources);
  if (order.id === '') return [];
  if (text(body['cancelled_at']) !== '')
    return [{ ...base, type: 'order.canceled', order_ref: order.id, reason: 'canceled' }];
  const status = text(body['financial_status']);
  // The payment was voided; the order may still be paid in another way.
  if (status === 'voided')
    return [{ ...base, type: 'order.canceled', order_ref: order.id, reason: 'failed' }];
  const paid = ['paid', 'partially_refunded', 'refunded'].includes(status);
  const source = text(body['source_name']);
  if (topic.renewalSources.some((start) => source.startsWith(start))) {
    return paid
      ? [
          {
            ...base,
            type: 'subscription.renewed',
            order: { ...order, subscription: { id: '', phase: 'renewal' } },
          },
        ]
      : [];
  }
  return [{ ...base, type: paid ? 'order.paid' : 'order.created', order }];
}

function canceled(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const id = lastSegment(body['admin_graphql_api_id']) || text(body['id']);
  return id === '' ? [] : [{ ...baseOf(topic), type: 'order.canceled', order_ref: id, reason: 'canceled' }];
}

function refunded(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const refund = shopifyRefund(body);
  return refund ? [{ ...baseOf(topic), type: 'order.refunded', refund }] : [];
}

/** Inquiries change nothing; a chargeback counts only when it is decided. */
function disputed(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const [order, id, status] = [text(body['order_id']), text(body['id']), text(body['status'])];
  if (order === '' || id === '') return [];
  const base = { ...baseOf(topic), order_ref: order, dispute_id: id };
  if (status === 'won') return [{ ...base, type: 'dispute.won' }];
  if (body['type'] === 'inquiry') return [{ ...base, type: 'dispute.opened', inquiry: true }];
  if (status === 'lost' || status === 'accepted' || status === 'charge_refunded')
    return [{ ...base, type: 'dispute.lost' }];
  return [
    {
      ...base,
      type: 'dispute.opened',
      ...(status !== 'needs_response' && status !== 'under_review' && { inquiry: true }),
    },
  ];
}

const contractRef = (value: unknown): string =>
  lastSegment(value) === '' ? '' : `contract:${lastSegment(value)}`;

function contractMade(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const origin = lastSegment(body['admin_graphql_api_origin_order_id']) || text(body['origin_order_id']);
  const contract = contractRef(body['admin_graphql_api_id'] ?? body['id']);
  return origin === '' || contract === ''
    ? []
    : [{ ...baseOf(topic), type: 'order.linked', order_ref: origin, refs: [contract] }];
}

/** The order of a renewal is linked to its subscription contract. */
function instalmentMade(body: Fields, topic: Topic): readonly ProviderEvent[] {
  const contract = contractRef(
    body['admin_graphql_api_subscription_contract_id'] ?? body['subscription_contract_id'],
  );
  const orders = texts(lastSegment(body['admin_graphql_api_order_id']), body['order_id']);
  return contract === '' || orders.length === 0
    ? []
    : [{ ...baseOf(topic), type: 'order.linked', order_ref: contract, refs: orders }];
}

function personOf(
  body: Fields,
  orders: string,
): { customer_ref: string; email?: string; order_refs: readonly string[] } {
  const customer = fields(body['customer']);
  return {
    customer_ref: idOf(customer),
    ...given('email', customer['email']),
    order_refs: texts(...(Array.isArray(body[orders]) ? (body[orders] as unknown[]) : [])),
  };
}
