import type { ProviderEvent, ProviderItem, ProviderOrder } from '../commerce.js';
import { fromVendorMinor, sum, type DigitsTable } from './amounts.js';
import { fields, text, texts } from './reading.js';
import { askShop, rowsOf } from './shop-api.js';
import { sessionItems } from './stripe-orders.js';

const BASE = 'https://api.stripe.com/v1';

export interface StripeApi {
  /** A restricted key that may read Checkout sessions, invoices and promotion codes. */
  readonly key: string;
  readonly fetch: typeof fetch;
}

/** What webhooks leave out: line items of a Checkout session, the text of promotion codes, payments of an invoice (commerce-providers §7). */
export function stripeEnrich({ key, fetch: send }: StripeApi, digits: DigitsTable): (event: ProviderEvent) => Promise<ProviderEvent> {
  return async (event) => {
    if (!('order' in event)) return event;
    const ask = (path: string): Promise<unknown> =>
      askShop(send, { address: BASE + path, headers: { Authorization: `Bearer ${key}`, ...(event.account !== '' && { 'Stripe-Account': event.account }) } });
    const { order } = event;
    const more = { items: await items(order, digits, ask), coupons: await coupons(order, ask), refs: [...order.refs ?? [], ...await payments(order, ask)] };
    return { ...event, order: { ...order, ...more } } as ProviderEvent; // the same event with more detail
  };
}

type Ask = (path: string) => Promise<unknown>;

async function items(order: ProviderOrder, digits: DigitsTable, ask: Ask): Promise<readonly ProviderItem[]> {
  const session = [order.id, ...order.refs ?? []].find((ref) => ref.startsWith('cs_'));
  if (session === undefined || order.items.some((item) => item.product_id !== null)) return order.items;
  const data = rowsOf(await ask(`/checkout/sessions/${encodeURIComponent(session)}/line_items?limit=100`));
  if (data.length === 0) return order.items;
  const found = sessionItems({ id: session, line_items: { data } }, order.totals, (value) => fromVendorMinor(value, order.currency, digits));
  // Amounts the vendor converted, or more lines than one page: the order as a whole is what counts then.
  return Math.abs(sum(found.map(({ net }) => net)) - order.totals.goods) <= 1 ? found : order.items;
}

async function coupons(order: ProviderOrder, ask: Ask): Promise<ProviderOrder['coupons']> {
  const read = async (coupon: ProviderOrder['coupons'][number]): Promise<ProviderOrder['coupons'][number]> => {
    if (coupon.code !== undefined || !coupon.id?.startsWith('promo_')) return coupon;
    const code = text(fields(await ask(`/promotion_codes/${encodeURIComponent(coupon.id)}`))['code']);
    return code === '' ? coupon : { ...coupon, code };
  };
  return Promise.all(order.coupons.map(read));
}

async function payments(order: ProviderOrder, ask: Ask): Promise<readonly string[]> {
  if (!order.id.startsWith('in_') || (order.refs ?? []).some((ref) => ref.startsWith('pi_') || ref.startsWith('ch_'))) return [];
  const rows = rowsOf(await ask(`/invoice_payments?limit=100&invoice=${encodeURIComponent(order.id)}`));
  return rows.map((row) => fields(row['payment'])).flatMap((way) => texts(way['payment_intent'], way['charge']));
}
