import { isMore, NONE, plus, ratio, restOf, shareOf, WHOLE, type Fraction } from '../../core/fraction.js';
import { paidShare, remainingOf, type CountedOrder, type Remaining } from './counted-order.js';
import { byKey, byTime } from './times.js';
import type { Fact, FactData, OrderPart, OrderTerms, RefundParts } from './types.js';

type RefundData = Extract<FactData, { kind: 'refund' }>;
type RefundFact = Fact<RefundData>;
type ListFact = Fact<Extract<FactData, { kind: 'refund_list' }>>;

export interface RefundState {
  readonly remaining: Remaining;
  /** The gross amount refunded, as far as it is known. */
  readonly gross_minor: number;
  /** When an undone refund last ended a full refund, which makes a later one another one; 0 if none did. */
  readonly undone_at: number;
  /** Refunds in another currency, whose share is unknown. */
  readonly foreign: readonly { readonly name: string }[];
  /** Refunds of an order with an unknown total, such as an imported one. */
  readonly unmeasured: readonly { readonly name: string }[];
  /** Lines that came back more often than they were bought. */
  readonly excess: readonly { readonly name: string }[];
}

export const isRefund = (fact: Fact): fact is RefundFact => fact.data.kind === 'refund';
const isList = (fact: Fact): fact is ListFact => fact.data.kind === 'refund_list';

/** Of refunds at the same time, the last is an undone one, then the larger one. */
const refundOrder = (a: RefundFact, b: RefundFact): number =>
  a.at - b.at ||
  Number(a.data.undone) - Number(b.data.undone) ||
  (a.data.gross_minor ?? 0) - (b.data.gross_minor ?? 0) ||
  byKey(a, b);

/** How many undone refunds are looked at: each costs as much as all facts. Beyond it, a person decides anew. */
const UNDONE_MAX = 50;

/** What is left of an order, and since when it is refunded in full. */
export function refunded(
  terms: OrderTerms,
  counted: CountedOrder,
  currency: string,
  facts: readonly Fact[],
): RefundState {
  const back = takenBack(terms, counted, currency, facts);
  if (back.remaining.earned.top > 0n) return { ...back, undone_at: 0 };
  const undone = facts
    .filter((fact) => isRefund(fact) && fact.data.undone && fact.data.currency === currency)
    .toSorted(byTime)
    .slice(-UNDONE_MAX);
  const ended = undone.findLast(({ at }) => {
    const known = facts.filter((fact) => fact.at <= at);
    return takenBack(terms, counted, currency, known).remaining.earned.top > 0n;
  });
  return { ...back, undone_at: ended?.at ?? 0 };
}

/**
 * What is left of an order. The refund is the larger of two amounts: the sum of refunds by id, and the last
 * total that was reported. A returned line takes what it earned; an amount without lines is taken from all
 * parts in proportion of what the buyer paid for them.
 */
function takenBack(
  terms: OrderTerms,
  counted: CountedOrder,
  currency: string,
  facts: readonly Fact[],
): Omit<RefundState, 'undone_at'> {
  const all = facts.filter(isRefund).toSorted(refundOrder);
  const own = all.filter((fact) => fact.data.currency === currency);
  const list = latestList(facts.filter(isList));
  const named = byId(own, list);
  const totals = own.filter(
    (fact) =>
      fact.data.refund_id === null &&
      !(fact.data.provisional === true && isReportedById(all)) &&
      // A newer complete list sets what is left of the total.
      (list === null || fact.at >= list.at),
  );
  const { parts, paid_minor: paid } = counted;
  const rules = { terms, counted };
  const each = named.map((refund) => takenBy(rules, refund));
  const returned = parts.map((_, at) => sumOf(each.map(({ shares }) => shares[at] ?? NONE)));
  const total = lastTotal(rules, totals);
  const gross = grossOf(rules, each);
  const isFull = paid > 0 && Math.max(gross, total.gross) >= paid;
  const afterReturns = isFull ? parts.map(() => NONE) : returned.map(restOf);
  const plain = each.reduce((sum, { plain: amount }) => sum + amount, 0) + Math.max(0, total.gross - gross);
  // Without a total, the share of an amount is unknown.
  const isMeasured = counted.content.grand_total_minor > 0;
  const left = isMeasured ? withoutAmount(counted, afterReturns, plain) : afterReturns;
  const remaining = remainingOf(counted, left);
  return {
    remaining: total.base === null ? remaining : withoutBase(counted, remaining, total.base),
    gross_minor: Math.max(gross, total.gross),
    foreign: foreign(all, currency),
    unmeasured: unmeasured(counted, named, totals),
    excess: isFull ? [] : excess(parts, returned, each),
  };
}

const sumOf = (shares: readonly Fraction[]): Fraction => shares.reduce(plus, NONE);

/** `share` × `by`. */
const product = (a: Fraction, b: Fraction): Fraction =>
  plus(NONE, { top: a.top * b.top, bottom: a.bottom * b.bottom });

/** Takes an amount from all parts, in proportion of what the buyer still has of each. */
function withoutAmount(
  counted: CountedOrder,
  left: readonly Fraction[],
  amount: number,
): readonly Fraction[] {
  if (amount <= 0) return left;
  const kept = product(keptGross(counted, left), paidShare(counted));
  const more = { top: BigInt(amount) * kept.bottom, bottom: kept.top };
  if (kept.top <= 0n || !isMore(WHOLE, more)) return left.map(() => NONE);
  const rest = restOf(more);
  return left.map((share) => product(share, rest));
}

const keptGross = ({ parts }: CountedOrder, left: readonly Fraction[]): Fraction =>
  sumOf(
    parts.map(({ gross_minor: gross }, at) => product(left[at] ?? NONE, { top: BigInt(gross), bottom: 1n })),
  );

/** The source reported the refunded part of the base, so each part has at most the remaining share. */
function withoutBase(counted: CountedOrder, remaining: Remaining, base: Fraction): Remaining {
  const rest = restOf(base);
  return isMore(remaining.earned, rest)
    ? remainingOf(
        counted,
        remaining.parts.map((share) => product(share, ratio(rest, remaining.earned))),
      )
    : remaining;
}

const isReportedById = (facts: readonly RefundFact[]): boolean =>
  facts.some((fact) => fact.data.by_id === true);

/**
 * Of lists at the same time, the one that arrived last counts: a shop that deletes a refund sends the shorter
 * list with the time of the longer one.
 */
const latestList = (lists: readonly ListFact[]): ListFact | null => lists.toSorted(byTime).at(-1) ?? null;

/** The last report of each refund. A refund that is missing in a later complete list was undone. */
function byId(facts: readonly RefundFact[], list: ListFact | null): RefundData[] {
  const latest = new Map<string, { at: number; data: RefundData }>();
  for (const { at, data } of facts) {
    if (data.refund_id === null) continue;
    const before = latest.get(data.refund_id)?.data;
    // A later report without details does not remove the details of an earlier one.
    const hasDetails = data.base_minor !== null || data.parts !== undefined;
    const detail =
      !hasDetails && before && before.gross_minor === data.gross_minor
        ? {
            base_minor: before.base_minor,
            basis_minor: before.basis_minor,
            ...(before.parts && { parts: before.parts }),
          }
        : {};
    latest.set(data.refund_id, { at, data: { ...data, ...detail } });
  }
  return [...latest].flatMap(([id, { at, data }]) => {
    const isGone = list !== null && at <= list.at && !list.data.ids.includes(id);
    return data.undone || isGone ? [] : [data];
  });
}

interface Rules {
  readonly terms: OrderTerms;
  readonly counted: CountedOrder;
}

interface ReturnedShares {
  /** The share of each part that was returned. */
  readonly shares: readonly Fraction[];
  /** Money for no part in particular. */
  readonly plain: number;
  /** What the buyer got back; null when only its parts are known. */
  readonly gross: number | null;
}

function takenBy({ terms, counted }: Rules, refund: RefundData): ReturnedShares {
  const { parts, content } = counted;
  const nothing = parts.map(() => NONE);
  const { gross_minor: gross, base_minor: base, parts: details } = refund;
  if (base !== null) {
    const share = shareOf(base, refund.basis_minor ?? content.basis_minor);
    return { shares: parts.map(() => share), plain: 0, gross };
  }
  if (details === undefined) return { shares: nothing, plain: gross ?? 0, gross };
  const goods = shareOfGoods(terms, counted, details);
  const shares = parts.map((part) => {
    const share = shareOfPart(terms, counted, part, details);
    return part.kind === 'item' ? plus(share, goods) : share;
  });
  return { shares, plain: restOfGross(counted, refund, shares), gross };
}

/** The share of one part that the details of a refund take. */
function shareOfPart(
  terms: OrderTerms,
  { content, parts }: CountedOrder,
  part: OrderPart,
  details: RefundParts,
): Fraction {
  if (part.kind === 'shipping')
    return shareOf((details.shipping ?? 0) + (details.shipping_tax ?? 0), part.gross_minor);
  if (part.kind === 'fees') return shareOf(details.fees ?? 0, part.gross_minor);
  if (part.kind === 'rest') {
    // Shipping of an order whose shipping was not reported separately.
    return parts.some(({ kind }) => kind === 'shipping')
      ? NONE
      : shareOf((details.shipping ?? 0) + (details.shipping_tax ?? 0), part.gross_minor);
  }
  const lines = content.lines.filter(({ id }) => id === part.id);
  const whole = lines.reduce((sum, line) => sum + worth(terms, line), 0);
  const items = (details.items ?? []).filter(({ item_id: id }) => id === part.id);
  const returned = items.reduce((sum, item) => {
    const net = lines.reduce((all, line) => all + line.net, 0);
    const tax = lines.reduce((all, line) => all + line.tax, 0);
    if (item.gross !== undefined) return plus(sum, ratioOf(item.gross, net + tax));
    const isTaxKnown = terms.counts.tax && (item.tax > 0 || tax === 0);
    return plus(
      sum,
      isTaxKnown ? ratioOf(worth(terms, { net: item.net, tax: item.tax }), whole) : ratioOf(item.net, net),
    );
  }, NONE);
  return returned;
}

/** Lines that the order never had are taken, by their worth, from all its lines. */
function shareOfGoods(
  terms: OrderTerms,
  { content, line_ids: ids }: CountedOrder,
  { items = [] }: RefundParts,
): Fraction {
  const strange = items.filter(({ item_id: id }) => !ids.has(id));
  const whole = content.lines.reduce((sum, line) => sum + worth(terms, line), 0);
  return ratioOf(
    strange.reduce((sum, item) => sum + worth(terms, item), 0),
    whole,
  );
}

const worth = (
  { counts }: OrderTerms,
  { net, tax }: { readonly net: number; readonly tax: number },
): number => net + (counts.tax ? tax : 0);

/** part ÷ whole, which may be more than 1. */
const ratioOf = (part: number, whole: number): Fraction =>
  whole <= 0 || part <= 0 ? NONE : plus(NONE, { top: BigInt(part), bottom: BigInt(whole) });

/** The money of a refund beyond the parts it names: goodwill, or lines the order does not have. */
function restOfGross(
  counted: CountedOrder,
  { gross_minor: gross, parts: details = {} }: RefundData,
  shares: readonly Fraction[],
): number {
  const { parts, line_ids: ids } = counted;
  const items = details.items ?? [];
  const known = new Set(parts.map(({ id }) => id));
  // Without any line, an amount for goods is an amount of the order.
  const isPlain = !parts.some(({ kind }) => kind === 'item');
  const unknown = items
    .filter(({ item_id: id }) => !ids.has(id))
    .reduce((sum, item) => sum + grossOfItem(item), 0);
  if (gross === null) return isPlain ? unknown : 0;
  // Lines that were removed before the payment were never paid for.
  const removed = items
    .filter(({ item_id: id }) => ids.has(id) && !known.has(id))
    .reduce((sum, item) => sum + grossOfItem(item), 0);
  const named = moneyOf(counted, shares) + (details.other ?? 0) + removed;
  const stated = statedGross(details) - (isPlain ? unknown : 0);
  const rest = gross - Math.max(named, stated);
  return rest > items.length + 1 ? rest : 0;
}

const grossOfItem = ({ net, tax, gross }: NonNullable<RefundParts['items']>[number]): number =>
  gross ?? net + tax;

const statedGross = ({
  items = [],
  shipping = 0,
  shipping_tax: tax = 0,
  fees = 0,
  other = 0,
}: RefundParts): number =>
  items.reduce((sum, item) => sum + grossOfItem(item), 0) + shipping + tax + fees + other;

/** Lines whose returns add up to more than was bought. */
const excess = (
  parts: readonly OrderPart[],
  returned: readonly Fraction[],
  taken: readonly ReturnedShares[],
): { name: string }[] =>
  parts.flatMap(({ kind, id }, at) => {
    const share = returned[at] ?? NONE;
    const isTwice = taken.filter(({ shares }) => (shares[at]?.top ?? 0n) > 0n).length > 1;
    return kind === 'item' && isTwice && isMore(share, WHOLE) ? [{ name: `returned:${id ?? ''}` }] : [];
  });

interface Total {
  readonly share: Fraction;
  readonly gross: number;
  /** The refunded part of the base, when the source reported that instead of the money. */
  readonly base: Fraction | null;
}

const NOTHING: Total = { share: NONE, gross: 0, base: null };

/** The highest reported total, unless a lower one was reported because a refund was undone. */
function lastTotal(rules: Rules, facts: readonly RefundFact[]): Total {
  const { paid_minor: paid } = rules.counted;
  return facts.reduce<Total>((known, { data }) => {
    const { shares, gross } = takenBy(rules, data);
    const base = data.base_minor === null ? null : (shares[0] ?? NONE);
    const now = { share: base ?? shareOf(gross ?? 0, paid), gross: gross ?? 0, base };
    return isMore(now.share, known.share) || data.undone ? now : known;
  }, NOTHING);
}

/** The money that was charged for these shares of the parts. */
function moneyOf(counted: CountedOrder, shares: readonly Fraction[]): number {
  const { top, bottom } = product(keptGross(counted, shares), paidShare(counted));
  return Number((2n * top + bottom) / (2n * bottom));
}

/**
 * What the buyer got back with the refunds known by their ids. Where only parts are known, none came back more
 * often than it was bought.
 */
function grossOf({ counted }: Rules, each: readonly ReturnedShares[]): number {
  const known = each.reduce((sum, { gross }) => sum + (gross ?? 0), 0);
  const others = each.filter(({ gross }) => gross === null);
  const shares = counted.parts.map((_, at) =>
    atMostWhole(sumOf(others.map(({ shares: of }) => of[at] ?? NONE))),
  );
  return known + moneyOf(counted, shares) + others.reduce((sum, { plain }) => sum + plain, 0);
}

const atMostWhole = (share: Fraction): Fraction => (isMore(share, WHOLE) ? WHOLE : share);

/** Refunds of an order whose total is unknown. An order that cost nothing loses nothing by a refund. */
function unmeasured(
  { content }: CountedOrder,
  named: readonly RefundData[],
  totals: readonly RefundFact[],
): { name: string }[] {
  if (content.grand_total_minor > 0) return [];
  const all = [...named, ...totals.map(({ data }) => data).filter(({ undone }) => !undone)];
  return all
    .filter(({ base_minor: base, gross_minor: gross }) => base === null && (gross ?? 0) > 0)
    .map(({ refund_id: id }) => ({ name: `unmeasured:${id ?? 'total'}` }));
}

/**
 * The refunds in another currency. Only the last report of each counts: a refund that was later undone, or
 * reported in the order's currency, is no longer among them.
 */
function foreign(facts: readonly RefundFact[], currency: string): { name: string }[] {
  const latest = new Map<string, RefundData>();
  for (const { data } of facts) latest.set(data.refund_id ?? `total ${data.currency}`, data);
  return [...latest].flatMap(([id, data]) =>
    data.currency === currency || data.undone
      ? []
      : [{ name: `currency:${id}:${data.gross_minor ?? data.base_minor ?? ''}` }],
  );
}
