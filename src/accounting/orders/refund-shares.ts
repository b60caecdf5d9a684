import { minor, split } from '../../core/money.js';
import { countedContent } from './counted-order.js';
import type { ReportedRefund } from './facts.js';
import type { Fact, Order } from './types.js';

/** A part of an order that earns separately (`sub_reference`). */
export interface PartOfOrder {
  readonly order: Order;
  readonly facts: readonly Fact[];
}

/**
 * Divides a refund of an order that earns in parts: returned lines belong to the part that has them, the
 * rest is shared by what the buyer paid for each part. Returns one refund per part; null where it takes nothing
 * and took nothing before.
 */
export function shareRefund(
  parts: readonly PartOfOrder[],
  refund: ReportedRefund,
): readonly (ReportedRefund | null)[] {
  if (parts.length === 1) return [refund];
  const counted = parts.map(({ order, facts }) => order.terms && countedContent(order.terms, facts));
  const { items = [], gross, base, shipping, shipping_tax: tax, ...rest } = refund;
  const own = counted.map((each) => items.filter(({ item_id: id }) => each?.line_ids.has(id) === true));
  const named = own.map(worthOf);
  const strange = items.filter((item) => !own.some((list) => list.includes(item)));
  const share = sharerBy(counted.map((each) => each?.paid_minor ?? 0));
  const remaining =
    gross === null ? worthOf(strange) : Math.max(0, gross - named.reduce((sum, each) => sum + each, 0));
  const [remainingShares, bases, shippings, taxes] = [
    share(remaining),
    share(base),
    share(shipping),
    share(tax),
  ];
  const isAmountKnown = gross !== null || items.length > 0;
  return own.map((mine, at) => {
    const amount = at0(named, at) + at0(remainingShares, at);
    const baseShare = bases[at] ?? null;
    // What lines are worth is no money given back: of a part that was paid in part, it was less.
    const isLinesOnly = gross === null && mine.length > 0 && !remainingShares[at];
    const isKnown = parts.slice(at, at + 1).some((part) => hasRefund(part.facts, refund.refund_id));
    if (amount === 0 && !baseShare && !refund.undone && !isKnown) return null;
    return {
      ...rest,
      ...(mine.length > 0 && { items: mine }),
      ...given('shipping', shippings[at]),
      ...given('shipping_tax', taxes[at]),
      gross: isAmountKnown && !isLinesOnly ? amount : null,
      base: baseShare,
    };
  });
}

const at0 = (amounts: readonly number[], at: number): number => amounts[at] ?? 0;

const hasRefund = (facts: readonly Fact[], id: string | null): boolean =>
  facts.some(({ data }) => data.kind === 'refund' && data.refund_id === id);

const given = <K extends string>(name: K, value: number | undefined): Partial<Record<K, number>> =>
  value === undefined ? {} : ({ [name]: value } as Partial<Record<K, number>>); // the one key

type Items = NonNullable<ReportedRefund['items']>;

const worthOf = (items: Items): number =>
  items.reduce((sum, item) => sum + (item.gross ?? item.net + item.tax), 0);

/** Splits amounts by these weights; an absent amount has no shares. */
const sharerBy =
  (weights: readonly number[]) =>
  (amount: number | undefined | null): readonly number[] =>
    amount === undefined || amount === null
      ? []
      : split(minor(amount), weights.some((each) => each > 0) ? weights : weights.map(() => 1));
