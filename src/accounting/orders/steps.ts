import { WHOLE } from '../../core/fraction.js';
import { toDecimal, minor } from '../../core/money.js';
import { toIso } from '../../core/dates.js';
import { baseOf, earnedBy, limitsOf, remainingOf, type CountedOrder } from './counted-order.js';
import type { RefundState } from './refunds.js';
import { shownTime } from './times.js';
import type { StepKind } from '../referrals/types.js';
import type { Cause, DueStatus, Fact, FactData, OrderTerms, Step } from './types.js';

interface ExplanationInput {
  readonly terms: OrderTerms;
  readonly currency: string;
  readonly counted: CountedOrder;
  readonly back: RefundState;
  /** The commission for what remains, before and after the limit. */
  readonly earned: number;
  readonly limited: number;
  readonly correction: Fact<Extract<FactData, { kind: 'correction' }>> | null;
  readonly amount: number;
  readonly base: number;
  readonly status: DueStatus;
  readonly causes: readonly Cause[];
}

/** Explains an amount in sentences. The last one is what the commission waits for, or why nothing is due. */
export function explainSteps(given: ExplanationInput & { readonly facts: readonly Fact[] }): Step[] {
  const { terms, currency, back, correction, amount } = given;
  const money = (value: number): string => toDecimal(minor(value), currency);
  const before = beforeRefunds(given);
  const steps: Step[] = [recordedStep(given, before, money)];
  if (limitsOf(terms).length === 0 && terms.capped_from_minor !== null)
    steps.push(cappedStep(terms.capped_from_minor, terms.amount_minor, money));
  if (back.remaining.earned.top < back.remaining.earned.bottom) steps.push(refundStep(given, before, money));
  if (given.limited < given.earned) steps.push(cappedStep(given.earned, given.limited, money));
  for (const fact of given.facts)
    if (fact.data.kind === 'refund' && fact.data.converted) {
      const { gross_minor: minorGross, from: currencyFrom, rate } = fact.data.converted;
      const gross = toDecimal(minor(minorGross), currencyFrom);
      const text = `A refund of ${gross} ${currencyFrom} was converted at ${rate}.`;
      steps.push(step('converted', { gross, currency: currencyFrom, rate }, text, amount, { fact }));
    }
  if (correction) steps.push(...correctionSteps(given, correction, money));
  steps.push(outcomeStep(given, money));
  return steps;
}

interface More {
  readonly fact?: Pick<Fact, 'at' | 'actor_id'>;
  readonly causes?: readonly string[];
}

const step = (
  kind: StepKind,
  values: Step['values'],
  text: string,
  amount: number,
  { fact, causes = [] }: More = {},
): Step => ({
  kind,
  values,
  causes,
  text,
  amount_minor: amount,
  at: fact?.at ?? null,
  actor_id: fact?.actor_id ?? null,
});

interface WholeCommission {
  readonly amount: number;
  readonly base: number;
}

/** The commission and its base as if nothing had been refunded. */
function beforeRefunds({ counted, terms }: ExplanationInput): WholeCommission {
  const whole = remainingOf(
    counted,
    counted.parts.map(() => WHOLE),
  );
  return { amount: earnedBy(counted, whole, terms.flat_rule), base: baseOf(counted, whole) };
}

function cappedStep(before: number, after: number, money: (value: number) => string): Step {
  const [from, to] = [money(before), money(after)];
  return step('capped', { from, to }, `Capped: ${from} became ${to}.`, after);
}

function recordedStep(
  { terms, counted }: ExplanationInput,
  whole: WholeCommission,
  money: (value: number) => string,
): Step {
  const { rate, level, rule } = counted.content;
  const wasCapped = limitsOf(terms).length === 0 && terms.capped_from_minor !== null;
  const amount = money(wasCapped ? terms.capped_from_minor : whole.amount);
  const base = money(whole.base);
  if (rate === null || level === null)
    return step('given', { amount }, `The commission was given as ${amount}.`, whole.amount);
  const named = rule === null ? '' : rule.startsWith('rule:') ? ` (${rule})` : ` (${rule} rate)`;
  const values = { rule: rule ?? '', base, amount };
  if (level === 'item')
    return step('items', values, `Rates of its items${named} on ${base} = ${amount}.`, whole.amount);
  return step('rate', { rate, ...values }, `${rate}${named} of ${base} = ${amount}.`, whole.amount);
}

function refundStep(
  { counted, back, base, earned }: ExplanationInput,
  whole: WholeCommission,
  money: (value: number) => string,
): Step {
  const values = {
    refunded: money(back.gross_minor),
    total: money(counted.content.grand_total_minor),
    left: money(base),
    base: money(whole.base),
    from: money(whole.amount),
    to: money(earned),
  };
  const text =
    `${values.refunded} of ${values.total} refunded, which leaves ${values.left} of ${values.base}: ` +
    `${values.from} becomes ${values.to}.`;
  return step('refunded', values, text, earned);
}

function correctionSteps(
  { amount }: ExplanationInput,
  correction: NonNullable<ExplanationInput['correction']>,
  money: (value: number) => string,
): Step[] {
  const { amount_minor: set, reason } = correction.data;
  const who = correction.actor_id === null ? '' : ` by user ${correction.actor_id}`;
  const cause = reason === null ? '' : `: ${reason}`;
  const day = (toIso(shownTime(correction)) ?? '').slice(0, 10);
  const to = money(set);
  const corrected = step(
    'corrected',
    { to, day, reason: reason ?? '' },
    `Corrected to ${to} on ${day}${who}${cause}.`,
    set,
    { fact: correction },
  );
  if (amount === set) return [corrected];
  const since = { from: to, to: money(amount) };
  const text = `Refunded since then, in proportion: ${since.from} becomes ${since.to}.`;
  return [corrected, step('refunded_since', since, text, amount)];
}

const SENTENCES: Readonly<Record<string, string>> = {
  unpaid_order: 'the order is not paid yet',
  dispute: 'the payment is disputed',
  manual: 'a manager put it on hold',
  unsigned: "the report of the affiliate isn't signed",
  currency_mismatch: 'an amount is in another currency',
  totals_mismatch: 'the items and the total of the order do not match',
  refunded: 'the order was refunded in full',
  disputed: 'the dispute was lost',
  canceled: 'the order was canceled',
  failed: 'the payment failed',
  voided: 'the order was voided',
  deleted: 'the order was deleted',
};

function outcomeStep({ status, causes, amount }: ExplanationInput, money: (value: number) => string): Step {
  const values = { amount: money(amount) };
  if (status === 'unpaid') return step('due', values, `Due: ${values.amount}.`, amount);
  const ends = causes.filter((cause) => cause.ends);
  const shown = status === 'rejected' ? ends : causes;
  const sentences = [...new Set(shown.map((cause) => sentence(cause)))].join(', ');
  const codes = { causes: [...new Set(shown.map((cause) => codeOf(cause)))] };
  return status === 'rejected'
    ? step('nothing_due', {}, `Nothing is due: ${sentences}.`, 0, codes)
    : step('waits', values, `${values.amount} waits: ${sentences}.`, amount, codes);
}

/** With the prefix `first:` when the first order of a subscription is the cause. */
const codeOf = ({ name, reason, ends }: Cause): string =>
  (name.startsWith('first:') ? 'first:' : '') + (reason === 'manual' && ends ? 'rejected' : reason);

function sentence({ name, reason, ends }: Cause): string {
  const first = name.startsWith('first:') ? 'of its first order: ' : '';
  if (reason === 'manual' && ends) return `${first}a person rejected it`;
  return first + (SENTENCES[reason] ?? `held by rule ${reason.replace(/^fraud:/u, '')}`);
}
