import type { CommerceProvider, OrderRef, ProviderEvent, ProviderOrder, WebhookSource } from '../commerce.js';
import { fields, list, text, type Fields } from './reading.js';
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
import { sha256 } from './signature.js';

const VERSION = '2025-10';
const PAYMENTS: ReadonlySet<string> = new Set(['sale', 'authorization', 'capture']);

export interface ShopifyApi extends ShopAccess {
  /** Domains of the shops, such as `demo.myshopify.com`; no other shop is asked. */
  readonly shops: readonly string[];
  /** The Admin API access token of a shop; it has to be allowed `read_orders`. */
  readonly tokenOf: (shop: string) => string;
  /** Version of the Admin API; default: 2025-10. */
  readonly version?: string;
}
type FetchPage = (shop: string, path: string) => Promise<ShopResponse | null>;
interface OrderReader {
  /** The events of an order from the list of a shop. */
  readonly events: (order: Fields, shop: string) => readonly ProviderEvent[];
  readonly order: (order: Fields) => ProviderOrder;
}
type ApiMethods = Required<
  Pick<CommerceProvider, 'changedSince' | 'fetchOrder'> & Pick<WebhookSource, 'enrich'>
>;

/**
 * Requests data that webhooks lack (the card that paid) and orders whose webhooks never came. The REST Admin
 * API returns orders in the form that webhooks have.
 */
export function shopifyApi(
  { shops, tokenOf, version = VERSION, ...access }: ShopifyApi,
  read: OrderReader,
): ApiMethods {
  const client = shopClient(access);
  const known = shops.map((shop) => shop.toLowerCase());
  for (const shop of known)
    if (!/^[a-z0-9.-]{1,150}$/.test(shop)) throw new TypeError('shopify: a shop is named by its domain.');
  // The header with the domain is not signed, so the token is only sent to shops that the host has named.
  const ask: FetchPage = async (shop, path) =>
    known.includes(shop)
      ? client({
          address: `https://${shop}/admin/api/${version}${path}`,
          headers: { 'X-Shopify-Access-Token': tokenOf(shop) },
        })
      : null;
  return {
    changedSince: changes(ask, known, read.events),
    fetchOrder: (ref) => fetchOrder(ref, ask, read.order),
    enrich: async (event, { known: isKnown } = { known: false }) => {
      if (
        (event.type !== 'order.created' && event.type !== 'order.paid') ||
        isKnown ||
        !mayBeCredited(event.order)
      )
        return event;
      return {
        ...event,
        order: {
          ...event.order,
          customer: { ...event.order.customer, ...(await fingerprint(event.account, event.order.id, ask)) },
        },
      };
    },
  };
}

function changes(
  ask: FetchPage,
  shops: readonly string[],
  read: (order: Fields, shop: string) => readonly ProviderEvent[],
): ApiMethods['changedSince'] {
  return async (ms, cursor) => {
    const [at, place] = placeOf(cursor);
    const shop = shops[at] ?? '';
    // The cursor of a page contains the filters; only the page size may be sent again.
    const filter =
      place === ''
        ? `status=any&updated_at_min=${new Date(ms).toISOString()}`
        : `page_info=${encodeURIComponent(place)}`;
    const page = await fittingPage((limit) => ask(shop, `/orders.json?limit=${limit}&${filter}`));
    return {
      ...readRows(rowsOf(page, 'orders'), (row) => read(row, shop)),
      ...nextPlace(at, shops.length, nextPage(page?.header('link') ?? '')),
    };
  };
}

/** `<https://…?page_info=abc&limit=50>; rel="next"` */
function nextPage(link: string): string | null {
  const address = link
    .split(',')
    .map((part) => /<([^<>]{1,4000})>;\s*rel="?next"?/.exec(part)?.[1])
    .find((each) => each !== undefined);
  return URL.parse(address ?? '')?.searchParams.get('page_info') ?? null;
}

async function fetchOrder(
  { account, id }: OrderRef,
  ask: FetchPage,
  read: OrderReader['order'],
): Promise<ProviderOrder | null> {
  const row = fields(fields((await ask(account, `/orders/${encodeURIComponent(id)}.json`))?.body)['order']);
  if (text(row['id']) === '' || text(row['cancelled_at']) !== '' || row['financial_status'] === 'voided')
    return null;
  const { paid_at: processedAt, ...order } = read(row);
  const isPaid = ['paid', 'partially_refunded', 'refunded'].includes(text(row['financial_status']));
  return {
    ...order,
    ...(isPaid && { paid_at: processedAt ?? order.created_at }),
  };
}

/** No field of the vendor identifies a card, so its first and last digits and its expiry date have to do. */
async function fingerprint(
  shop: string,
  id: string,
  ask: FetchPage,
): Promise<{ payment_fingerprint?: string }> {
  try {
    const rows = rowsOf(
      await ask(shop, `/orders/${encodeURIComponent(id)}/transactions.json`),
      'transactions',
    );
    const paid = rows.filter((row) => row['status'] === 'success' && PAYMENTS.has(text(row['kind'])));
    return (
      list(paid.map((row) => row['payment_details']))
        .map(cardOf)
        .find((found) => found.payment_fingerprint !== undefined) ?? {}
    );
  } catch (error) {
    if (error instanceof ShopError && (error.status === 401 || error.status === 403)) return {};
    throw error;
  }
}

function cardOf(details: Fields): { payment_fingerprint?: string } {
  const [bin, last] = [
    text(details['credit_card_bin']),
    text(details['credit_card_number']).replaceAll(/\D/g, '').slice(-4),
  ];
  if (bin === '' || last.length !== 4) return {};
  const month = text(details['credit_card_expiration_month']);
  const year = text(details['credit_card_expiration_year']);
  return { payment_fingerprint: `card:${sha256(bin, last, month, year)}` };
}
