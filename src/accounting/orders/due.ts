import { isMore, ratio, times, type Fraction } from '../../core/fraction.js';
import { minor } from '../../core/money.js';
import { baseOf, countedContent, earnedBy, restsOn, type CountedOrder } from './counted-order.js';
import { refunded, type RefundState } from './refunds.js';
import { explainSteps } from './steps.js';
import { byKey, byTime } from './times.js';
import type {
  Cause,
  Due,
  DueStatus,
  Fact,
  FactData,
  InheritedTerms,
  OpenReason,
  OrderTerms,
  PaymentState,
  RejectReason,
} from './types.js';

export interface DueContext {
  readonly currency: string;
  /** What is taken from the order it follows; null when it follows none. */
  readonly inherited: InheritedTerms | null;
  /** It is part of a payout, so a later rejection of its first order no longer affects it. */
  readonly inPayout: boolean;
  /** What the limit of the order leaves for it, after the orders before it; null without a limit. */
  readonly left_minor: number | null;
}
type Of<K extends FactData['kind']> = Fact<Extract<FactData, { kind: K }>>;

/** A payment after one of these counts: it is another attempt, or the order was restored. */
const RETRIED: readonly PaymentState[] = ['failed', 'canceled', 'deleted'];
/** The order in which reasons are chosen when several end a commission. */
const ENDS: readonly RejectReason[] = [
  'manual',
  'disputed',
  'refunded',
  'voided',
  'deleted',
  'canceled',
  'failed',
];

export const factsOf = <K extends FactData['kind']>(facts: readonly Fact[], kind: K): Of<K>[] =>
  facts.filter((fact): fact is Of<K> => fact.data.kind === kind);

/**
 * Computes what is owed for an order: a pure function of its facts. Neither the order in which facts arrived
 * nor their repeats matter (docs/money.md).
 */
export function due(terms: OrderTerms, facts: readonly Fact[], context: DueContext): Due {
  const counted = countedContent(terms, facts);
  const back = refunded(terms, counted, context.currency, facts);
  const { remaining } = back;
  const correction = factsOf(facts, 'correction').toSorted(byTime).at(-1) ?? null;
  const earned = earnedBy(counted, remaining, terms.flat_rule);
  const limited = context.left_minor === null ? earned : Math.min(earned, Math.max(0, context.left_minor));
  const amount = correction === null ? limited : corrected(correction, remaining.earned);
  const reviews = factsOf(facts, 'judgement');
  const review = reviews.toSorted(byTime).at(-1) ?? null;
  const payment = paymentOf(factsOf(facts, 'payment'));
  const cleared = clearedBy(reviews);
  const { rests, kept } = restsOn(counted, remaining, back.gross_minor);
  const isCovered = rests <= kept + counted.parts.length; // each part may be rounded by itself
  const causes = [
    ...reviewCauses(review),
    ...disputeCauses(factsOf(facts, 'dispute')),
    ...refundCauses(back),
    ...paymentCauses(payment),
    ...contentCauses(terms, counted, isCovered ? null : rests),
    ...(context.inPayout ? [] : inheritedCauses(context.inherited)),
  ].filter(({ name, reason }) => !cleared.has(name) || (reason === 'refunded' && amount === 0));
  const ended = ENDS.find((reason) => causes.some((cause) => cause.ends && cause.reason === reason)) ?? null;
  const reasons = [...new Set(causes.flatMap((cause) => (cause.ends ? [] : [cause.reason as OpenReason])))];
  const status: DueStatus = ended !== null ? 'rejected' : reasons.length > 0 ? 'pending' : 'unpaid';
  const result = {
    amount: minor(amount),
    full: minor(counted.content.amount_minor),
    base: minor(baseOf(counted, remaining)),
    status,
    reject_reason: ended,
    reasons,
    causes,
    is_paid: payment?.data.state === 'paid' || cleared.has('unpaid_order'),
    left: remaining.earned,
    refunded_minor: back.gross_minor,
    is_covered: isCovered,
  };
  const explained = { terms, facts, counted, back, correction, earned, limited, ...context, ...result };
  return { ...result, steps: explainSteps(explained) };
}

/** An amount set by a person is reduced by later refunds and never grows. */
function corrected({ data }: Of<'correction'>, left: Fraction): number {
  const then: Fraction = { top: BigInt(data.left[0]), bottom: BigInt(data.left[1]) };
  return isMore(then, left) ? times(data.amount_minor, ratio(left, then)) : data.amount_minor;
}

/** Each approval clears, permanently, the causes that existed when the person approved. */
const clearedBy = (reviews: readonly Of<'judgement'>[]): ReadonlySet<string> =>
  new Set(reviews.flatMap(({ data }) => (data.verdict === 'approved' ? data.clears : [])));

/** The latest fact about the payment. Of two at the same time, "not paid" counts. */
function paymentOf(facts: readonly Of<'payment'>[]): Of<'payment'> | null {
  const sorted = facts.toSorted(
    (a, b) => a.at - b.at || Number(a.data.state !== 'paid') - Number(b.data.state !== 'paid') || byKey(a, b),
  );
  return sorted.reduce<Of<'payment'> | null>((known, fact) => {
    const isOver = known !== null && known.data.state !== 'paid' && !RETRIED.includes(known.data.state);
    return isOver ? known : fact;
  }, null);
}

function paymentCauses(payment: Of<'payment'> | null): Cause[] {
  if (payment === null) return [{ name: 'unpaid_order', reason: 'unpaid_order', ends: false }];
  const { state } = payment.data;
  return state === 'paid' ? [] : [{ name: `payment:${state}:${payment.at}`, reason: state, ends: true }];
}

function reviewCauses(review: Of<'judgement'> | null): Cause[] {
  if (review === null || review.data.verdict === 'approved') return [];
  return [{ name: `manual:${review.at}`, reason: 'manual', ends: review.data.verdict === 'rejected' }];
}

/** The last state of each dispute counts; of two at the same time, the later one in its course. */
function disputeCauses(facts: readonly Of<'dispute'>[]): Cause[] {
  const rank = { opened: 0, won: 1, lost: 2 };
  const last = new Map<string, Of<'dispute'>>();
  for (const fact of facts.toSorted((a, b) => a.at - b.at || rank[a.data.state] - rank[b.data.state]))
    last.set(fact.data.dispute_id, fact);
  return [...last].flatMap(([id, { at, data }]): Cause[] => {
    if (data.state === 'won') return [];
    return data.state === 'lost'
      ? [{ name: `lost:${id}:${at}`, reason: 'disputed', ends: true }]
      : [{ name: `dispute:${id}`, reason: 'dispute', ends: false }];
  });
}

const refundCauses = ({
  remaining,
  undone_at: undoneAt,
  foreign,
  unmeasured,
  excess,
}: RefundState): Cause[] => [
  ...(remaining.earned.top === 0n
    ? [{ name: `refunded:${undoneAt}`, reason: 'refunded', ends: true } as const]
    : []),
  ...foreign.map(({ name }): Cause => ({ name, reason: 'currency_mismatch', ends: false })),
  ...[...unmeasured, ...excess].map(({ name }): Cause => ({ name, reason: 'totals_mismatch', ends: false })),
];

/** The reasons that came with the content, and what the commission rests on when the buyer has paid less (I18). */
function contentCauses(terms: OrderTerms, { content }: CountedOrder, uncovered: number | null): Cause[] {
  const known = new Set(terms.reasons);
  const own = content.reasons.map((reason): Cause => {
    const isNew = content !== terms && !known.has(reason);
    return { name: isNew ? `${reason}:${content.grand_total_minor}` : reason, reason, ends: false };
  });
  return uncovered === null
    ? own
    : [...own, { name: `rests:${uncovered}`, reason: 'totals_mismatch', ends: false }];
}

const inheritedCauses = (inherited: InheritedTerms | null): Cause[] =>
  inherited === null
    ? []
    : [
        ...(inherited.rejected === null
          ? []
          : [{ name: `first:${inherited.rejected.name}`, reason: inherited.rejected.reason, ends: true }]),
        ...inherited.causes.map(({ name, reason }): Cause => ({
          name: `first:${name}`,
          reason,
          ends: false,
        })),
      ];

/**
 * What an approval clears: everything a person may decide. It clears neither an open dispute nor a later one.
 */
export const clearable = ({ causes }: Pick<Due, 'causes'>): string[] =>
  causes.filter(({ reason }) => reason !== 'dispute').map(({ name }) => name);
