import type { CommerceProvider, Delivery, ProviderEvent, Subscription } from '../commerce.js';
import { fields, text, timeOf, type Fields } from './reading.js';
import { checkSecrets, sha256, verifyBody, type Secrets } from './signature.js';
import { wooApi, type WooApi } from './woo-api.js';
import { metaOf, orderState, wooOrder, type WooReading } from './woo-order.js';

export interface WooOptions extends Pick<
  CommerceProvider,
  'enabled' | 'aliases' | 'catalog' | 'couponAffiliate' | 'trustAffiliateId' | 'acceptUnsigned'
> {
  readonly secrets: Secrets;
  /**
   * Addresses of the shops whose webhooks are accepted, with or without `www.`. If orders were stored while
   * only one shop was named, that shop is first. For a shop that moved to another address, `aliases` names
   * the former one.
   */
  readonly stores: readonly string[];
  readonly key?: string;
  /**
   * Meta fields of an order in which a payment plugin stores the fingerprint of the card or account; the
   * first one that has a value counts.
   */
  readonly paymentMeta?: readonly string[];
  /**
   * The values of `created_via` of orders that the shop's staff made; for these, only a coupon credits an
   * affiliate. An order with a visitor's token is a visitor's, unless it was made in the back office
   * (`admin`). Default: `['admin', 'rest-api']`.
   */
  readonly staffSources?: readonly string[];
  /**
   * Asks the shop for what the payload lacks (items of refunds, affiliates of coupons), and daily for orders
   * whose deliveries never came. Off without it.
   */
  readonly api?: WooApi;
  /** The first of these two, done in a way of your own. */
  readonly enrich?: (event: ProviderEvent) => Promise<ProviderEvent>;
}

/** The address in lower case, without a slash at the end. */
export function storeUrl(text: string): string {
  const url = URL.parse(text);
  return (url ? url.origin + url.pathname.replace(/\/+$/, '') : text).toLowerCase();
}

export function woo({
  secrets,
  stores,
  key = 'woo',
  paymentMeta = [],
  staffSources = ['admin', 'rest-api'],
  aliases = {},
  api,
  enrich: own,
  ...more
}: WooOptions): CommerceProvider {
  checkSecrets('woo', secrets);
  const known = stores.map(storeUrl);
  const former = Object.fromEntries(
    Object.entries(aliases).map((pair) => pair.map(storeUrl) as [string, string]),
  );
  if (known.length === 0) throw new TypeError('woo: name the address of at least one shop.');
  const reading: WooReading = { paymentMeta, staffSources };
  const read = {
    orders: (order: Fields, account: string) => orderEvents(order, { ...reading, account }),
    subscriptions: subscription,
  };
  const asked = api && wooApi(api, { stores: known, read });
  const enrich = own ?? asked?.enrich;
  return {
    ...(asked && {
      couponAffiliate: asked.couponAffiliate,
      changedSince: asked.changedSince,
      fetchOrder: fetching(asked.order, known, reading),
    }),
    ...more,
    key,
    stores: known,
    aliases: former,
    info: {
      title: 'WooCommerce',
      description: 'Orders, refunds and subscriptions of WooCommerce shops.',
      type: 'commerce',
    },
    abilities: new Set([
      'coupons',
      'renewals',
      'upgrades',
      'products',
      ...(more.catalog ? ['categories' as const] : []),
    ]),
    orderUrl: ({ account, id }) =>
      account || known[0]
        ? `${account || known[0]}/wp-admin/post.php?post=${encodeURIComponent(id)}&action=edit`
        : null,
    webhook: {
      isProbe: ({ body }) => body.length < 60 && /^webhook_id=\d{1,20}$/.test(body.toString('utf8').trim()),
      verify: ({ body, header }) =>
        verifyBody(
          body,
          header('x-wc-webhook-signature'),
          typeof secrets === 'function' ? () => secrets().map(decoded) : secrets.map(decoded),
        ),
      // The shop derives its delivery ids from the second, so two deliveries can share one.
      deliveryKey: ({ body, header }) =>
        sha256(
          storeUrl(header('x-wc-webhook-source') ?? ''),
          header('x-wc-webhook-id') ?? '',
          header('x-wc-webhook-topic') ?? '',
          body,
        ),
      parse: (delivery) => parse(delivery, { stores: known, aliases: former, read }),
      ...(enrich && { enrich }),
    },
  };
}

/** The shop signs with the secret after decoding its HTML entities. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#039;': "'",
  '&#39;': "'",
};
const decoded = (secret: string): string =>
  secret.replaceAll(/&(?:amp|lt|gt|quot|#0?39);/g, (entity) => ENTITIES[entity] ?? entity);

function parse(
  { json, header }: Delivery,
  { stores, aliases, read }: Parameters<typeof wooApi>[1] & { readonly aliases: Aliases },
): readonly ProviderEvent[] {
  const topic = header('x-wc-webhook-topic') ?? '';
  const account = namedStore(storeUrl(header('x-wc-webhook-source') ?? ''), { stores, aliases });
  const body = fields(json);
  if (account === undefined || text(body['id']) === '') return [];
  if (topic === 'order.deleted')
    return [{ type: 'order.canceled', at: 0, account, order_ref: text(body['id']), reason: 'deleted' }];
  if (topic === 'subscription.created' || topic === 'subscription.updated')
    return read.subscriptions(body, account);
  return ['order.created', 'order.updated', 'order.restored'].includes(topic)
    ? read.orders(body, account)
    : [];
}

type Aliases = Readonly<Record<string, string>>;

/** The address by which the host names the shop that sends this: it may have another spelling, or be a former one. */
function namedStore(
  source: string,
  { stores, aliases }: { readonly stores: readonly string[]; readonly aliases: Aliases },
): string | undefined {
  const spelled = (of: string): string => of.replace(/^https?:\/\/(?:www\.)?/, '');
  const own =
    stores.find((store) => store === source) ?? stores.find((store) => spelled(store) === spelled(source));
  return own ?? stores.find((store) => aliases[store] === source);
}

/** The subscription names its first order; renewals name the subscription. */
function subscription(body: Fields, account: string): readonly ProviderEvent[] {
  const parent = text(body['parent_id']);
  return parent === '' || parent === '0'
    ? []
    : [
        {
          type: 'order.linked',
          at: timeOf(body['date_modified_gmt']),
          account,
          order_ref: parent,
          refs: [`subscription:${text(body['id'])}`],
        },
      ];
}

function orderEvents(
  body: Fields,
  { account, ...reading }: WooReading & { readonly account: string },
): readonly ProviderEvent[] {
  const base = { at: timeOf(body['date_modified_gmt'] ?? body['date_created_gmt']), account };
  const state = orderState(body);
  const id = text(body['id']);
  if (state === 'ignored') return [];
  if (state === 'canceled' || state === 'failed' || state === 'deleted')
    return [{ ...base, type: 'order.canceled', order_ref: id, reason: state }];
  const order = wooOrder(body, base.at, reading);
  if (state === 'refunded')
    return [
      {
        ...base,
        type: 'order.refunded',
        refund: { order_ref: id, gross: order.totals.grand_total, currency: order.currency, state: 'done' },
      },
    ];
  const renewed = text(metaOf(body, '_subscription_renewal'));
  if (renewed !== '' && state === 'paid')
    return [
      {
        ...base,
        type: 'subscription.renewed',
        order: { ...order, subscription: { id: `subscription:${renewed}`, phase: 'renewal' } },
      },
    ];
  const subscription = subscriptionOf(body);
  const whole = subscription ? { ...order, subscription } : order;
  return renewed === ''
    ? [{ ...base, type: state === 'paid' ? 'order.paid' : 'order.created', order: whole }]
    : [];
}

/** The subscription that a switch changes, or that a buyer takes up again. */
function subscriptionOf(body: Fields): Subscription | null {
  const switched = text(metaOf(body, '_subscription_switch'));
  if (switched !== '') return { id: `subscription:${switched}`, phase: 'change' };
  const again = text(metaOf(body, '_subscription_resubscribe'));
  return again === '' ? null : { id: `subscription:${again}`, phase: 'other' };
}

/** The state decides whether an order is paid: a canceled one may have a date of payment. */
function fetching(
  ask: (store: string, id: string) => Promise<Fields | null>,
  stores: readonly string[],
  reading: WooReading,
): NonNullable<CommerceProvider['fetchOrder']> {
  return async ({ account, id }) => {
    const store = account === '' && stores.length === 1 ? stores[0] : stores.find((each) => each === account);
    const found = store === undefined ? null : await ask(store, id);
    const state = found && orderState(found);
    if (!found || (state !== 'paid' && state !== 'created' && state !== 'refunded')) return null;
    const { paid_at: paidAt, ...order } = wooOrder(found, 0, reading);
    return state === 'created' ? order : { ...order, paid_at: paidAt ?? order.created_at };
  };
}
