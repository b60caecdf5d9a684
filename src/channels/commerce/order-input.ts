import { mailbox } from '../../core/mailbox.js';
import type {
  CommerceProvider,
  ProviderCustomer,
  ProviderItem,
  ProviderOrder,
  Totals,
} from '../../../adapters/commerce.js';
import { parseRate } from '../../core/rate.js';
import type {
  BuyerInput,
  ConversionInput,
  ItemInput,
  RateRule,
} from '../../attribution/conversions/types.js';
import type { OrderLine } from '../../accounting/orders/types.js';
import type { RateRow } from './types.js';

const TITLE_MAX = 255;

/** The rates in the provider's settings in the form that conversions use; none while their switch is off. */
export function rulesOf(config: Readonly<Record<string, unknown>>, prefix: '' | 'renewal_' = ''): RateRule[] {
  if (config[`${prefix}custom_affiliate_rate`] !== 'yes') return [];
  const rows = (config[`${prefix}custom_affiliate_rates`] ?? []) as readonly RateRow[];
  return rows.map((row) => ({
    object_type: row.object_type,
    object_ids: row.object_ids,
    rate_e4: parseRate(row.rate) ?? 0,
    rate_type: row.rate_type,
  }));
}

/** The provider's order in the form that conversions take. */
export function conversionOf(
  provider: CommerceProvider,
  order: ProviderOrder,
  { account, flags: given }: { account: string; flags?: readonly string[] },
): ConversionInput {
  const flags = flagsOf(order, given);
  return {
    provider: provider.key,
    reference: order.id,
    sub_reference: order.sub_id ?? null,
    account,
    order: orderOf(order.totals, order.currency),
    items: order.items.map(itemOf),
    customer: buyerOf(order.customer),
    created_by_staff: order.created_by_staff === true,
    settings: {
      ...(order.number !== undefined && { order_number: order.number.slice(0, TITLE_MAX) }),
      ...(flags.length > 0 && { flags }),
    },
    vendor_order: order,
  };
}

/** Remarks for a person on amounts that do not add up to one minor unit (docs/integrations.md §6). */
export function flagsOf({ totals }: ProviderOrder, flags: readonly string[] = []): readonly string[] {
  const {
    goods,
    goods_tax: tax,
    shipping,
    shipping_tax: shippingTax,
    fees,
    fees_tax: feesTax,
    grand_total: total,
  } = totals;
  return Math.abs(goods + tax + shipping + shippingTax + fees + feesTax - total) > 1
    ? [...flags, 'totals_mismatch']
    : flags;
}

function orderOf(totals: Totals, currency: string): ConversionInput['order'] & object {
  return {
    currency,
    subtotal: { minor: totals.goods_before_discount },
    discount: { minor: totals.goods_before_discount - totals.goods },
    tax: { minor: totals.goods_tax },
    shipping: { minor: totals.shipping },
    shipping_tax: { minor: totals.shipping_tax },
    fees: { minor: totals.fees },
    total: { minor: totals.grand_total },
    paid: { minor: totals.paid },
  };
}

/** Rules name products; a line without a product gets a name that no product has. */
function itemOf(item: ProviderItem): ItemInput {
  return {
    id: item.product_id ?? `line:${item.id}`,
    title: item.title,
    categories: item.category_ids ?? [],
    quantity: item.quantity,
    subtotal: { minor: item.net_before_discount },
    discount: { minor: Math.max(0, item.net_before_discount - item.net) },
    tax: { minor: item.tax },
    ...(item.commissionable === false && { commissionable: false }),
  };
}

export function buyerOf({
  ref,
  user_id: userId,
  email,
  name,
  ip,
  payment_fingerprint: paidWith,
}: ProviderCustomer): BuyerInput {
  const [first = '', ...rest] = (name ?? '').trim().split(/\s+/);
  return {
    // An order with an invalid e-mail address is accepted, but the address does not identify a buyer.
    email: mailbox(email) === null ? null : (email ?? null),
    user_id: userId ?? null,
    first_name: first || null,
    last_name: rest.join(' ') || null,
    ip: ip ?? null,
    ref: ref ?? null,
    payment_fingerprint: paidWith ?? null,
  };
}

/** The lines of the order under the shop's own ids, which refunds name. */
export const linesOf = (items: readonly ProviderItem[]): OrderLine[] =>
  items.map(({ id, net, net_before_discount: before, tax, commissionable = true }) => ({
    id,
    net,
    before,
    tax,
    commissionable,
  }));
