import type { CommerceProvider, ProviderEvent, ProviderRefund, WebhookSource } from '../commerce.js';
import { atLeastZero, fromDecimal, sum } from './amounts.js';
import { fields, list, text, whole, type Fields } from './reading.js';
import {
  fittingPage,
  nextPlace,
  placeOf,
  readRows,
  rowsOf,
  shopClient,
  type ShopAccess,
  type ShopResponse,
} from './shop-api.js';
import { metaOf } from './woo-order.js';

/** Shops compute each order of a page anew, so larger pages would take too long. */
const PAGE = 25;

export interface WooApi extends ShopAccess {
  /** The consumer key of a shop, by the shop's address; a read-only key is enough. */
  readonly keyOf: (store: string) => { readonly key: string; readonly secret: string };
  /** The shops use the subscriptions extension: its subscriptions are read too. Default: false. */
  readonly subscriptions?: boolean;
}
interface Parts {
  readonly stores: readonly string[];
  /** Reads an order or a subscription in the form of webhooks. */
  readonly read: Readonly<
    Record<'orders' | 'subscriptions', (row: Fields, account: string) => readonly ProviderEvent[]>
  >;
}
type FetchPage = (store: string, path: string) => Promise<ShopResponse | null>;
type ApiMethods = Required<
  Pick<CommerceProvider, 'couponAffiliate' | 'changedSince'> & Pick<WebhookSource, 'enrich'>
> & {
  readonly order: (store: string, id: string) => Promise<Fields | null>;
};

/**
 * Requests data that webhooks lack (the items of refunds, the affiliate a coupon belongs to;
 * docs/integrations.md §8) and orders whose webhook never came, since the vendor repeats none.
 */
export function wooApi(api: WooApi, parts: Parts): ApiMethods {
  const client = shopClient(api);
  const { stores } = parts;
  const ask: FetchPage = (store, path) => {
    const { key, secret } = api.keyOf(store);
    return client({
      address: `${store}/wp-json/wc/v3${path}`,
      headers: { Authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` },
    });
  };
  return {
    changedSince: changes(ask, api.subscriptions === true, parts),
    order: async (store, id) => {
      const order = await ask(store, `/orders/${encodeURIComponent(id)}`);
      return order && fields(order.body);
    },
    enrich: async (event) => {
      if (!('order' in event) || (event.order.refunds?.length ?? 0) === 0) return event;
      const rows = rowsOf(
        await ask(
          event.account || stores[0] || '',
          `/orders/${encodeURIComponent(event.order.id)}/refunds?per_page=100`,
        ),
      );
      const byId = new Map(rows.map((row) => [text(row['id']), row]));
      const refunds = event.order.refunds?.map((refund) =>
        detailed(refund, byId.get(refund.refund_id ?? '')),
      );
      // the same event with more detail
      return { ...event, order: { ...event.order, refunds } } as ProviderEvent;
    },
    couponAffiliate: async (code) => {
      for (const store of stores) {
        const affiliate = whole(
          metaOf(
            rowsOf(await ask(store, `/coupons?code=${encodeURIComponent(code)}`))[0] ?? {},
            '_fa_affiliate_id',
          ),
        );
        if (affiliate > 0) return affiliate;
      }
      return null;
    },
  };
}

/**
 * Changed orders by id: an order that changes while pages are read can move others to a later page only, so
 * none is missed.
 */
function changes(
  ask: FetchPage,
  withSubscriptions: boolean,
  { stores, read }: Parts,
): ApiMethods['changedSince'] {
  const kinds = withSubscriptions ? (['orders', 'subscriptions'] as const) : (['orders'] as const);
  const lists = stores.flatMap((store) => kinds.map((kind) => ({ store, kind, account: store })));
  return async (ms, cursor) => {
    const [at, place] = placeOf(cursor);
    const of = lists[at];
    if (!of) return { events: [] };
    const [offset, since] = [whole(place), new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)];
    const page = await fittingPage(
      async (limit) => ({
        limit,
        rows: rowsOf(
          await ask(
            of.store,
            `/${of.kind}?per_page=${limit}&offset=${offset}&order=asc&orderby=id&dates_are_gmt=true&modified_after=${since}`,
          ),
        ),
      }),
      PAGE,
    );
    const more = page.rows.length < page.limit ? null : String(offset + page.rows.length);
    return {
      ...readRows(page.rows, (row) => read[of.kind](row, of.account)),
      ...nextPlace(at, lists.length, more),
    };
  };
}

/**
 * Lines of a refund are negative and name the line of the order in their meta; a line without that name is
 * ignored.
 */
function detailed(refund: ProviderRefund, row: Fields | undefined): ProviderRefund {
  const lines = list(row?.['line_items']).filter(
    (line) => whole(line['quantity']) !== 0 || text(line['total']) !== '0.00',
  );
  const [shipping, fees] = [list(row?.['shipping_lines']), list(row?.['fee_lines'])];
  if (row === undefined || lines.length + shipping.length + fees.length === 0) return refund;
  const back = (line: Fields, name: string): ReturnType<typeof fromDecimal> =>
    atLeastZero(0 - fromDecimal(line[name], refund.currency));
  return {
    ...refund,
    items: lines.map((line) => ({
      item_id: text(metaOf(line, '_refunded_item_id')),
      net: back(line, 'total'),
      tax: back(line, 'total_tax'),
    })),
    shipping: sum(shipping.map((line) => back(line, 'total'))),
    shipping_tax: sum(shipping.map((line) => back(line, 'total_tax'))),
    fees: sum(fees.flatMap((line) => [back(line, 'total'), back(line, 'total_tax')])),
  };
}
