import type { ProviderRefund } from '../../../adapters/commerce.js';
import { divideRounded } from '../../core/decimal.js';
import type { LedgerOrder, OrderAmounts, RefundBook, RefundEntry } from './types.js';

export interface RefundTotal {
  readonly total: number;
  /** Part of the commission base; null: the shop named no items, the gross total decides. */
  readonly base: number | null;
}

/** The refund in the order's book: by its id, or as the new cumulative amount. */
export function withRefund(order: LedgerOrder, refund: ProviderRefund): RefundBook {
  const entry: RefundEntry = { gross: Math.max(0, refund.gross), base: refundedBase(order, refund) };
  const { by_id: known, cumulative } = order.refunds;
  if (refund.refund_id === undefined) {
    const less = cumulative !== null && entry.gross < cumulative.gross && refund.state === 'done';
    return { ...order.refunds, cumulative: less ? cumulative : entry };
  }
  if (refund.state === 'undone') {
    const { [refund.refund_id]: _gone, ...rest } = known;
    return { ...order.refunds, by_id: rest };
  }
  const before = known[refund.refund_id];
  // Detail that came first is not lost to a later event without it.
  return {
    ...order.refunds,
    by_id: { ...known, [refund.refund_id]: { ...entry, base: entry.base ?? before?.base ?? null } },
  };
}

/** The order's whole list of refunds at that time: what is no longer in it was undone, but an older list only adds. */
export function withRefundList(
  order: LedgerOrder,
  refunds: readonly ProviderRefund[],
  at: number,
): RefundBook {
  const { by_id: known, listed_at: before = 0 } = order.refunds;
  const listed = new Set(refunds.map((refund) => refund.refund_id));
  // A refund that is deleted may leave the order's own time as it was.
  const kept =
    at >= before ? Object.fromEntries(Object.entries(known).filter(([id]) => listed.has(id))) : known;
  return refunds.reduce<RefundBook>((book, refund) => withRefund({ ...order, refunds: book }, refund), {
    ...order.refunds,
    by_id: kept,
    listed_at: Math.max(at, before),
  });
}

/** Are the refunds of both the same? */
export const sameRefunds = (a: RefundBook, b: RefundBook): boolean =>
  JSON.stringify([a.by_id, a.cumulative]) === JSON.stringify([b.by_id, b.cumulative]);

/** Everything refunded so far; one rounding. */
export function totalRefunded({ refunds, totals }: Pick<LedgerOrder, 'refunds' | 'totals'>): RefundTotal {
  const entries = Object.values(refunds.by_id);
  const sum = entries.reduce((all, entry) => all + entry.gross, 0);
  const { cumulative } = refunds;
  if (cumulative !== null && cumulative.gross > sum)
    return { total: cumulative.gross, base: cumulative.base };
  if (totals === null || entries.every((entry) => entry.base === null)) return { total: sum, base: null };
  if (sum >= totals.grand_total_minor) return { total: sum, base: received(totals.base_minor, totals) };
  const plain = entries.filter((entry) => entry.base === null).reduce((all, entry) => all + entry.gross, 0);
  const known = entries.reduce((all, entry) => all + (entry.base ?? 0), 0);
  const share =
    totals.grand_total_minor > 0
      ? Number(divideRounded(BigInt(totals.base_minor) * BigInt(plain), BigInt(totals.grand_total_minor)))
      : 0;
  return { total: sum, base: received(known + share, totals) };
}

/** The same formula as the commission base, over the refunded parts (commerce-providers §6). */
function refundedBase({ totals, items }: LedgerOrder, refund: ProviderRefund): number | null {
  if (totals === null || (refund.items === undefined && refund.shipping === undefined)) return null;
  const goods = (refund.items ?? []).reduce((sum, part) => {
    const item = items.find(({ id }) => id === part.item_id);
    if (item?.commissionable === false) return sum;
    const net =
      totals.exclude_discount === 'no' && item && item.net > 0
        ? Number(divideRounded(BigInt(part.net) * BigInt(item.before), BigInt(item.net)))
        : part.net;
    return sum + net + (totals.exclude_tax === 'no' ? part.tax : 0);
  }, 0);
  const shipping =
    totals.exclude_shipping === 'no'
      ? (refund.shipping ?? 0) + (totals.exclude_tax === 'no' ? (refund.shipping_tax ?? 0) : 0)
      : 0;
  return Math.max(0, goods + shipping);
}

/** Commission was only due on money received: refunds count in the same proportion. */
function received(
  base: number,
  { base_minor: whole, paid_minor: paid, grand_total_minor: total }: OrderAmounts,
): number {
  const clamped = Math.min(base, whole);
  return paid < total ? Number(divideRounded(BigInt(clamped) * BigInt(paid), BigInt(total))) : clamped;
}
