import { isMore, larger, NONE, plus, restOf, shareOf, times, type Fraction } from '../../core/fraction.js';
import type { Fact, FactData, OrderTerms } from './types.js';

type RefundData = Extract<FactData, { kind: 'refund' }>;
type RefundFact = Fact<RefundData>;
type ListFact = Fact<Extract<FactData, { kind: 'refund_list' }>>;

export interface Refunded {
  readonly left: Fraction;
  /** Gross refunded, as far as it is known. */
  readonly gross_minor: number;
  /** Refunds in another currency: nobody knows their share yet. */
  readonly foreign: readonly { readonly name: string }[];
  /** Refunds of an order whose total nobody knows, such as an imported one. */
  readonly unmeasured: readonly { readonly name: string }[];
}

export const isRefund = (fact: Fact): fact is RefundFact => fact.data.kind === 'refund';
const isList = (fact: Fact): fact is ListFact => fact.data.kind === 'refund_list';

/**
 * Facts by the time they are about; equal times by what they say, an undoing last,
 * so that the order of arrival does not matter.
 */
export const byTime = (a: Fact, b: Fact): number => a.at - b.at || a.id - b.id;
const refundOrder = (a: RefundFact, b: RefundFact): number =>
  a.at - b.at || Number(a.data.undone) - Number(b.data.undone) || a.id - b.id;

/** What is left of an order: the larger of what refunds by id add up to and the last total that was told. */
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

const latestList = (lists: readonly ListFact[]): ListFact | null => lists.toSorted(byTime).at(-1) ?? null;

/** Each refund as it was last told; one that is gone from a later whole list was undone. */
function byId(facts: readonly RefundFact[], list: ListFact | null): RefundData[] {
  const latest = new Map<string, { at: number; data: RefundData }>();
  for (const { at, data } of facts) {
    if (data.refund_id === null) continue;
    const before = latest.get(data.refund_id)?.data;
    // Detail that came first is not lost to a later word without it.
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
  // The whole charge is back, whatever the parts add up to.
  if (terms.grand_total_minor > 0 && gross >= terms.grand_total_minor) return { share: shareOf(1, 1), gross };
  return { share: refunds.reduce((sum, each) => plus(sum, shareIn(terms, each)), NONE), gross };
}

/** The highest total that was told, unless a lower one was told as an undoing. */
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

/** A commission of an order that cost nothing can lose nothing by a refund; here nobody said what it cost. */
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
 * The last word on each refund counts here too: told again in the order's currency, or undone, it is settled.
 */
function foreign(facts: readonly RefundFact[], currency: string): { name: string }[] {
  const latest = new Map<string, RefundData>();
  for (const { data } of facts) latest.set(data.refund_id ?? `total ${data.currency}`, data);
  return [...latest].flatMap(([id, data]) =>
    data.currency === currency || data.undone ? [] : [{ name: `currency:${id}` }],
  );
}
