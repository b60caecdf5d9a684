import { isMore, larger, NONE, plus, restOf, shareOf, times, type Fraction } from '../../core/fraction.js';
import type { Fact, FactData, OrderTerms } from './types.js';

type RefundData = Extract<FactData, { kind: 'refund' }>;
type RefundFact = Fact<RefundData>;
type ListFact = Fact<Extract<FactData, { kind: 'refund_list' }>>;

export interface Refunded {
  readonly left: Fraction;
  /** The gross amount refunded, as far as it is known. */
  readonly gross_minor: number;
  /** Refunds in another currency, whose share is unknown. */
  readonly foreign: readonly { readonly name: string }[];
  /** Refunds of an order with an unknown total, such as an imported one. */
  readonly unmeasured: readonly { readonly name: string }[];
}

export const isRefund = (fact: Fact): fact is RefundFact => fact.data.kind === 'refund';
const isList = (fact: Fact): fact is ListFact => fact.data.kind === 'refund_list';

/** Sorts facts by the time they are about; at the same time, the one that arrived first comes first. */
export const byTime = (a: Fact, b: Fact): number => a.at - b.at || a.id - b.id;

/** The time to show: facts may be a little ahead of our clock, but nothing was known before it was stored. */
export const shownTime = ({ at, created_at: stored }: Pick<Fact, 'at' | 'created_at'>): number =>
  Math.min(at, stored);

/** The key of a fact is made of its content, so this order does not depend on when facts arrived. */
export const byKey = (a: Fact, b: Fact): number => (a.key < b.key ? -1 : Number(a.key > b.key));
/** Of refunds at the same time, the last is an undone one, then the larger one. */
const refundOrder = (a: RefundFact, b: RefundFact): number =>
  a.at - b.at ||
  Number(a.data.undone) - Number(b.data.undone) ||
  (a.data.gross_minor ?? 0) - (b.data.gross_minor ?? 0) ||
  byKey(a, b);

/**
 * What is left of an order. The refund is the larger of two amounts: the sum of refunds by id, and the last
 * total that was reported.
 */
export function refunded(terms: OrderTerms, currency: string, facts: readonly Fact[]): Refunded {
  const all = facts.filter(isRefund).toSorted(refundOrder);
  const own = all.filter((fact) => fact.data.currency === currency);
  const named = byId(own, latestList(facts.filter(isList)));
  const totals = own.filter(
    (fact) => fact.data.refund_id === null && !(fact.data.provisional === true && isToldById(all)),
  );
  const sum = sumOf(terms, named);
  const told = lastTotal(terms, totals);
  const share = larger(sum.share, told.share);
  return {
    left: restOf(share),
    gross_minor: Math.max(sum.gross, told.gross),
    foreign: foreign(all, currency),
    unmeasured: unmeasured(terms, named, totals),
  };
}

const isToldById = (facts: readonly RefundFact[]): boolean => facts.some((fact) => fact.data.by_id === true);

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
    const detail =
      data.base_minor === null && before && before.gross_minor === data.gross_minor
        ? { base_minor: before.base_minor, basis_minor: before.basis_minor }
        : {};
    latest.set(data.refund_id, { at, data: { ...data, ...detail } });
  }
  return [...latest].flatMap(([id, { at, data }]) => {
    const isGone = list !== null && at <= list.at && !list.data.ids.includes(id);
    return data.undone || isGone ? [] : [data];
  });
}

interface Sum {
  readonly share: Fraction;
  readonly gross: number;
}

const NOTHING: Sum = { share: NONE, gross: 0 };

function sumOf(terms: OrderTerms, refunds: readonly RefundData[]): Sum {
  const gross = refunds.reduce((sum, each) => sum + (each.gross_minor ?? grossOf(terms, each)), 0);
  // The whole charge was refunded, whatever the sum of the parts is.
  if (terms.grand_total_minor > 0 && gross >= terms.grand_total_minor) return { share: shareOf(1, 1), gross };
  return { share: refunds.reduce((sum, each) => plus(sum, shareIn(terms, each)), NONE), gross };
}

/** The highest reported total, unless a lower one was reported because a refund was undone. */
function lastTotal(terms: OrderTerms, facts: readonly RefundFact[]): Sum {
  return facts.reduce<Sum>((known, { data }) => {
    const now = sumOf(terms, [data]);
    return isMore(now.share, known.share) || data.undone ? now : known;
  }, NOTHING);
}

function shareIn(
  terms: OrderTerms,
  { base_minor: base, basis_minor: basis, gross_minor: gross }: RefundData,
): Fraction {
  return base === null
    ? shareOf(gross ?? 0, terms.grand_total_minor)
    : shareOf(base, basis ?? terms.basis_minor);
}

const grossOf = (terms: OrderTerms, refund: RefundData): number =>
  times(terms.grand_total_minor, shareIn(terms, refund));

/** Refunds of an order whose total is unknown. An order that cost nothing loses nothing by a refund. */
function unmeasured(
  terms: OrderTerms,
  named: readonly RefundData[],
  totals: readonly RefundFact[],
): { name: string }[] {
  if (terms.grand_total_minor > 0) return [];
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
    data.currency === currency || data.undone ? [] : [{ name: `currency:${id}` }],
  );
}
