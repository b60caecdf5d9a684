import type {
  CommerceProvider,
  OrderRef,
  ProviderEvent,
  ProviderItem,
  ProviderOrder,
  WebhookSource,
} from '../commerce.js';
import { fromVendorMinor, sum, type DigitsTable } from './amounts.js';
import { fields, text, texts, type Fields } from './reading.js';
import {
  fittingPage,
  mayBeCredited,
  nextPlace,
  placeOf,
  readRows,
  rowsOf,
  shopClient,
  ShopError,
  type ShopAccess,
  type ShopResponse,
} from './shop-api.js';
import { chargeOf, fingerprintOf } from './stripe-charge.js';
import { checkoutEvents, invoiceEvents, sessionItems } from './stripe-orders.js';
import type { StripeEnvelope, StripeReading } from './stripe-envelope.js';

const BASE = 'https://api.stripe.com/v1';

export interface StripeApi extends ShopAccess {
  /**
   * A restricted key that may read events, Checkout sessions, invoices, promotion codes and payment intents.
   */
  readonly key: string;
  /** Connected accounts whose events are read too, besides the key's own account. */
  readonly accounts?: readonly string[];
}
type FetchPage = (account: string, path: string) => Promise<ShopResponse | null>;
type Ask = (path: string) => Promise<ShopResponse | null>;
interface Parts {
  readonly reading: StripeReading;
  readonly types: readonly string[];
  readonly parse: (event: Fields) => readonly ProviderEvent[];
}
type ApiMethods = Required<
  Pick<CommerceProvider, 'changedSince' | 'fetchOrder'> & Pick<WebhookSource, 'enrich'>
>;

export function stripeApi(api: StripeApi, parts: Parts): ApiMethods {
  const client = shopClient(api);
  const ask: FetchPage = (account, path) =>
    client({
      address: BASE + path,
      headers: { Authorization: `Bearer ${api.key}`, ...(account !== '' && { 'Stripe-Account': account }) },
    });
  return {
    changedSince: changes(ask, api, parts),
    fetchOrder: (ref) => fetchOrder(ref, ask, parts),
    enrich: async (event, { known } = { known: false }) => {
      if (!('order' in event)) return event;
      const detailed = await enriched(event.order, parts.reading.digits, (path) => ask(event.account, path));
      const isNew =
        !known &&
        (event.type === 'order.created' || event.type === 'order.paid') &&
        mayBeCredited(event.order);
      const paidBy = isNew
        ? await fingerprint([detailed.id, ...(detailed.refs ?? [])], (path) => ask(event.account, path))
        : {};
      return {
        ...event,
        order: { ...detailed, customer: { ...detailed.customer, ...paidBy } },
      } as ProviderEvent; // the same event with more detail
    },
  };
}

/**
 * Reads the account's list of events, newest first; the vendor stores them for 30 days. Each gets the key of
 * the delivery that should have brought it.
 */
function changes(
  ask: FetchPage,
  { accounts = [] }: StripeApi,
  { types, parse }: Parts,
): ApiMethods['changedSince'] {
  const lists = ['', ...accounts];
  const wanted = types.map((type) => `&types[]=${encodeURIComponent(type)}`).join('');
  return async (ms, cursor) => {
    const [at, after] = placeOf(cursor);
    const account = lists[at] ?? '';
    const from = after === '' ? '' : `&starting_after=${encodeURIComponent(after)}`;
    const page = await fittingPage((limit) =>
      ask(account, `/events?limit=${limit}&created[gte]=${Math.floor(ms / 1000)}${wanted}${from}`),
    );
    const rows = rowsOf(page);
    const last = fields(page?.body)['has_more'] === true ? text(rows.at(-1)?.['id']) || null : null;
    const read = readRows(rows.toReversed(), (row) =>
      parse({ ...row, account }).map((event) => ({ ...event, delivery: `${account}:${text(row['id'])}` })),
    );
    return { ...read, ...nextPlace(at, lists.length, last) };
  };
}

/**
 * Finds an order by the id it is stored under: an invoice, a Checkout session, or the payment intent of
 * either.
 */
async function fetchOrder(
  { account, id }: OrderRef,
  ask: FetchPage,
  { reading }: Parts,
): Promise<ProviderOrder | null> {
  const name = encodeURIComponent(id);
  const envelope: StripeEnvelope = { type: 'invoice.paid', at: 0, account, test: false };
  if (id.startsWith('in_'))
    return orderOf(invoiceEvents, fields((await ask(account, `/invoices/${name}`))?.body), envelope, reading);
  const session = id.startsWith('cs_')
    ? fields((await ask(account, `/checkout/sessions/${name}`))?.body)
    : rowsOf(await ask(account, `/checkout/sessions?limit=1&payment_intent=${name}`))[0];
  return session
    ? orderOf(checkoutEvents, session, { ...envelope, type: 'checkout.session.completed' }, reading)
    : null;
}

type Reader = typeof invoiceEvents;
/** Statuses of invoices and Checkout sessions that are no order yet, or will never be paid. */
const NOTHING: ReadonlySet<unknown> = new Set(['draft', 'void', 'uncollectible', 'expired']);

function orderOf(
  read: Reader,
  object: Fields,
  envelope: StripeEnvelope,
  reading: StripeReading,
): ProviderOrder | null {
  if (text(object['id']) === '' || NOTHING.has(object['status'])) return null;
  const [event] = read(object, envelope, reading);
  if (!event || !('order' in event)) return null;
  const isPaid = read === invoiceEvents ? object['status'] === 'paid' : event.type === 'order.paid';
  return { ...event.order, ...(isPaid ? { paid_at: event.order.paid_at ?? event.order.created_at } : {}) };
}

/**
 * Adds what webhooks lack: line items of a Checkout session, the text of promotion codes, payments of an
 * invoice (docs/integrations.md §7).
 */
async function enriched(order: ProviderOrder, digits: DigitsTable, ask: Ask): Promise<ProviderOrder> {
  const refs = [...(order.refs ?? []), ...(await payments(order, ask))];
  return { ...order, items: await items(order, digits, ask), coupons: await coupons(order, ask), refs };
}

async function items(order: ProviderOrder, digits: DigitsTable, ask: Ask): Promise<readonly ProviderItem[]> {
  const session = [order.id, ...(order.refs ?? [])].find((ref) => ref.startsWith('cs_'));
  if (session === undefined || order.items.some((item) => item.product_id !== null)) return order.items;
  const data = rowsOf(await ask(`/checkout/sessions/${encodeURIComponent(session)}/line_items?limit=100`));
  if (data.length === 0) return order.items;
  const found = sessionItems({ id: session, line_items: { data } }, order.totals, (value) =>
    fromVendorMinor(value, order.currency, digits),
  );
  // If the vendor converted the amounts, or there is more than one page of lines, only the totals of the
  // order are used.
  return Math.abs(sum(found.map(({ net }) => net)) - order.totals.goods) <= 1 ? found : order.items;
}

async function coupons(order: ProviderOrder, ask: Ask): Promise<ProviderOrder['coupons']> {
  const read = async (
    coupon: ProviderOrder['coupons'][number],
  ): Promise<ProviderOrder['coupons'][number]> => {
    if (coupon.code !== undefined || !coupon.id?.startsWith('promo_')) return coupon;
    const code = text(fields((await ask(`/promotion_codes/${encodeURIComponent(coupon.id)}`))?.body)['code']);
    return code === '' ? coupon : { ...coupon, code };
  };
  return Promise.all(order.coupons.map(read));
}

async function payments(order: ProviderOrder, ask: Ask): Promise<readonly string[]> {
  if (
    !order.id.startsWith('in_') ||
    (order.refs ?? []).some((ref) => ref.startsWith('pi_') || ref.startsWith('ch_'))
  )
    return [];
  const rows = rowsOf(await ask(`/invoice_payments?limit=100&invoice=${encodeURIComponent(order.id)}`));
  return rows
    .map((row) => fields(row['payment']))
    .flatMap((way) => texts(way['payment_intent'], way['charge']));
}

/**
 * The vendor's fingerprint of the card or account that paid. A key without the right to read payments only
 * loses this.
 */
async function fingerprint(refs: readonly string[], ask: Ask): Promise<{ payment_fingerprint?: string }> {
  const [intent, charge] = ['pi_', 'ch_'].map((kind) => refs.find((ref) => ref.startsWith(kind)));
  const path = intent
    ? `/payment_intents/${encodeURIComponent(intent)}?expand[]=latest_charge`
    : charge && `/charges/${encodeURIComponent(charge)}`;
  if (!path) return {};
  try {
    const found = fields((await ask(path))?.body);
    return fingerprintOf(intent ? chargeOf(found) : found);
  } catch (error) {
    if (error instanceof ShopError && (error.status === 401 || error.status === 403)) return {};
    throw error;
  }
}
