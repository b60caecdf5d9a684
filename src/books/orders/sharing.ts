import { minor, split } from '../../core/money.js';
import { countedContent } from './content.js';
import type { ToldRefund } from './facts.js';
import type { Fact, Order } from './types.js';

/** A part of an order that earns separately (`sub_reference`). */
export interface PartOfOrder {
  readonly order: Order;
  readonly facts: readonly Fact[];
}

/**
 * Divides a refund of an order that earns in parts: returned lines belong to the part that has them, the
 * rest is shared by what the buyer paid for each part. Returns one refund per part; null takes nothing.
 */
export function shareRefund(
  parts: readonly PartOfOrder[],
  refund: ToldRefund,
): readonly (ToldRefund | null)[] {
  if (parts.length === 1) return [refund];
  const counted = parts.map(({ order, facts }) => order.terms && countedContent(order.terms, facts));
  const paid = counted.map((each) => each?.paid_minor ?? 0);
  const { items = [], gross, base, shipping, shipping_tax: shippingTax, ...rest } = refund;
  const own = counted.map((each) => items.filter(({ item_id: id }) => each?.line_ids.has(id) === true));
  const named = own.map((list) => list.reduce((sum, item) => sum + (item.gross ?? item.net + item.tax), 0));
  const strange = items.filter((item) => !own.some((list) => list.includes(item)));
  const share = (amount: number | undefined | null): readonly (number | null)[] =>
    amount === undefined || amount === null
      ? parts.map(() => null)
      : split(minor(amount), paid.some((each) => each > 0) ? paid : parts.map(() => 1));
  const besides = share(
    gross === null
      ? strange.reduce((sum, item) => sum + (item.gross ?? item.net + item.tax), 0)
      : Math.max(0, gross - named.reduce((sum, each) => sum + each, 0)),
  );
  const [bases, shippings, taxes] = [share(base), share(shipping), share(shippingTax)];
  return parts.map((_, at) => {
    const mine = own[at] ?? [];
    const amount = (named[at] ?? 0) + (besides[at] ?? 0);
    if (amount === 0 && (bases[at] ?? 0) === 0 && !refund.undone) return null;
    return {
      ...rest,
      gross: gross === null && items.length === 0 ? null : amount,
      base: bases[at] ?? null,
      ...(mine.length > 0 && { items: mine }),
      ...(shippings[at] !== null && { shipping: shippings[at] ?? 0 }),
      ...(taxes[at] !== null && { shipping_tax: taxes[at] ?? 0 }),
    };
  });
}
