import { isMore, ratio, times, type Fraction } from '../../core/fraction.js';
import { minor } from '../../core/money.js';
import { byKey, byTime, refunded, type Refunded } from './refunds.js';
import { explainSteps } from './steps.js';
import type {
  Cause,
  DisputeState,
  Due,
  DueStatus,
  Fact,
  FactData,
  Inherited,
  OpenReason,
  OrderTerms,
  PaymentState,
  RejectReason,
} from './types.js';

export interface DueContext {
  readonly currency: string;
  /** What is taken from the order it follows; null when it follows none. */
  readonly inherited: Inherited | null;
  /** It is part of a payout, so a later rejection of its first order no longer affects it. */
  readonly claimed: boolean;
}
type Of<K extends FactData['kind']> = Fact<Extract<FactData, { kind: K }>>;

/** A payment after one of these is another attempt. After any other end the order is over. */
const RETRIED: readonly PaymentState[] = ['failed', 'canceled'];
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
  const back = refunded(terms, context.currency, facts);
  const correction = factsOf(facts, 'correction').toSorted(byTime).at(-1) ?? null;
  const amount = amountOf(terms, back.left, correction);
  const judgement = factsOf(facts, 'judgement').toSorted(byTime).at(-1) ?? null;
  const payment = paymentOf(factsOf(facts, 'payment'));
  const cleared = new Set(judgement?.data.verdict === 'approved' ? judgement.data.clears : []);
  const causes = [
    ...judgementCauses(judgement),
    ...disputeCauses(factsOf(facts, 'dispute')),
    ...refundCauses(back),
    ...paymentCauses(payment),
    ...terms.reasons.map((reason): Cause => ({ name: reason, reason, ends: false })),
    ...(context.claimed ? [] : inheritedCauses(context.inherited)),
  ].filter(({ name }) => !cleared.has(name) || (name === 'refunded' && amount === 0));
  const ended = ENDS.find((reason) => causes.some((cause) => cause.ends && cause.reason === reason)) ?? null;
  const reasons = [...new Set(causes.flatMap((cause) => (cause.ends ? [] : [cause.reason as OpenReason])))];
  const status: DueStatus = ended !== null ? 'rejected' : reasons.length > 0 ? 'pending' : 'unpaid';
  const result = {
    amount: minor(amount),
    base: minor(times(terms.base_minor, back.left)),
    status,
    reject_reason: ended,
    reasons,
    causes,
    is_paid: payment?.data.state === 'paid' || cleared.has('unpaid_order'),
    left: back.left,
    refunded_minor: back.gross_minor,
  };
  return { ...result, steps: explainSteps({ terms, facts, back, correction, ...context, ...result }) };
}

/**
 * The amount in proportion to what is left of the order. An amount set by a person is reduced by later
 * refunds and never grows.
 */
function amountOf(terms: OrderTerms, left: Fraction, correction: Of<'correction'> | null): number {
  if (correction) {
    const then: Fraction = {
      top: BigInt(correction.data.left[0]),
      bottom: BigInt(correction.data.left[1]),
    };
    const { amount_minor: amount } = correction.data;
    return isMore(then, left) ? times(amount, ratio(left, then)) : amount;
  }
  const kept =
    terms.flat_rule === 'keep' && left.top > 0n ? Math.min(terms.flat_minor, terms.amount_minor) : 0;
  return kept + times(terms.amount_minor - kept, left);
}

/** The latest fact about the payment. Of two at the same time, the one that says it was not paid counts. */
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

function judgementCauses(judgement: Of<'judgement'> | null): Cause[] {
  if (judgement === null || judgement.data.verdict === 'approved') return [];
  return [{ name: 'manual', reason: 'manual', ends: judgement.data.verdict === 'rejected' }];
}

/** A dispute ends with its decision. A report of its opening that arrives later does not open it again. */
function disputeCauses(facts: readonly Of<'dispute'>[]): Cause[] {
  const decided = new Map<string, DisputeState>();
  const rank = { opened: 0, won: 1, lost: 2 };
  for (const { data } of facts.toSorted((a, b) => a.at - b.at || rank[a.data.state] - rank[b.data.state])) {
    if (data.state !== 'opened' || !decided.has(data.dispute_id)) decided.set(data.dispute_id, data.state);
  }
  return [...decided].flatMap(([id, state]): Cause[] => {
    if (state === 'won') return [];
    return state === 'lost'
      ? [{ name: `lost:${id}`, reason: 'disputed', ends: true }]
      : [{ name: `dispute:${id}`, reason: 'dispute', ends: false }];
  });
}

const refundCauses = ({ left, foreign, unmeasured }: Refunded): Cause[] => [
  ...(left.top === 0n ? [{ name: 'refunded', reason: 'refunded', ends: true } as const] : []),
  ...foreign.map(({ name }): Cause => ({ name, reason: 'currency_mismatch', ends: false })),
  ...unmeasured.map(({ name }): Cause => ({ name, reason: 'totals_mismatch', ends: false })),
];

const inheritedCauses = (inherited: Inherited | null): Cause[] =>
  inherited === null
    ? []
    : [
        ...(inherited.rejected === null
          ? []
          : [{ name: 'first:rejected', reason: inherited.rejected, ends: true }]),
        ...inherited.reasons.map((reason): Cause => ({ name: `first:${reason}`, reason, ends: false })),
      ];

/**
 * What an approval clears: everything a person may decide. It clears neither an open dispute nor a later one.
 */
export const clearable = ({ causes }: Pick<Due, 'causes'>): string[] =>
  causes
    .filter(({ name }) => !name.startsWith('dispute:') && name !== 'first:dispute')
    .map(({ name }) => name);
