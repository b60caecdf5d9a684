import type { CommerceProvider, ProviderEvent, ProviderRefund } from '../commerce.js';
import { atLeastZero, fromDecimal, sum } from './amounts.js';
import { list, text, whole, type Fields } from './reading.js';
import { askShop, rowsOf } from './shop-api.js';
import { metaOf } from './woo-order.js';

export interface WooApi {
  readonly fetch: typeof fetch;
  /** The consumer key of a shop, by its address; one that may read is enough. */
  readonly keyOf: (store: string) => { readonly key: string; readonly secret: string };
}

type Extra = Required<Pick<CommerceProvider, 'couponAffiliate'>> & { readonly enrich: (event: ProviderEvent) => Promise<ProviderEvent> };

/** What webhooks leave out: the items of refunds, and the affiliate a coupon is bound to (commerce-providers §8). */
export function wooApi({ fetch: send, keyOf }: WooApi, stores: readonly string[]): Extra {
  const ask = (store: string, path: string): Promise<unknown> => {
    const { key, secret } = keyOf(store);
    return askShop(send, { address: `${store}/wp-json/wc/v3${path}`, headers: { Authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` } });
  };
  return {
    enrich: async (event) => {
      if (!('order' in event) || (event.order.refunds?.length ?? 0) === 0) return event;
      const rows = rowsOf(await ask(event.account || stores[0] || '', `/orders/${encodeURIComponent(event.order.id)}/refunds?per_page=100`));
      const byId = new Map(rows.map((row) => [text(row['id']), row]));
      const refunds = event.order.refunds?.map((refund) => detailed(refund, byId.get(refund.refund_id ?? '')));
      return { ...event, order: { ...event.order, refunds } } as ProviderEvent; // the same event with more detail
    },
    couponAffiliate: async (code) => {
      for (const store of stores) {
        const affiliate = whole(metaOf(rowsOf(await ask(store, `/coupons?code=${encodeURIComponent(code)}`))[0] ?? {}, '_fa_affiliate_id'));
        if (affiliate > 0) return affiliate;
      }
      return null;
    },
  };
}

/** Lines of a refund are negative and name the order's line in their meta; one that names none says nothing. */
function detailed(refund: ProviderRefund, row: Fields | undefined): ProviderRefund {
  const lines = list(row?.['line_items']).filter((line) => whole(line['quantity']) !== 0 || text(line['total']) !== '0.00');
  const shipping = list(row?.['shipping_lines']);
  if (row === undefined || (lines.length === 0 && shipping.length === 0)) return refund;
  const back = (line: Fields, name: string): ReturnType<typeof fromDecimal> => atLeastZero(0 - fromDecimal(line[name], refund.currency));
  return {
    ...refund, items: lines.map((line) => ({ item_id: text(metaOf(line, '_refunded_item_id')), net: back(line, 'total'), tax: back(line, 'total_tax') })),
    shipping: sum(shipping.map((line) => back(line, 'total'))), shipping_tax: sum(shipping.map((line) => back(line, 'total_tax'))),
  };
}
