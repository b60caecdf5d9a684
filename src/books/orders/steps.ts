import { toDecimal, minor } from '../../core/money.js';
import { toIso } from '../../core/dates.js';
import { times } from '../../core/fraction.js';
import type { Refunded } from './refunds.js';
import type { Cause, DueStatus, Fact, FactData, OrderTerms, Step } from './types.js';

interface Explained {
  readonly terms: OrderTerms;
  readonly currency: string;
  readonly back: Refunded;
  readonly correction: Fact<Extract<FactData, { kind: 'correction' }>> | null;
  readonly amount: number;
  readonly base: number;
  readonly status: DueStatus;
  readonly causes: readonly Cause[];
}

/**
 * How the amount came to be, in sentences people read; the last one says what it
 * waits for or why nothing is due.
 */
export function explainSteps(given: Explained & { readonly facts: readonly Fact[] }): Step[] {
  const { terms, currency, back, correction, amount } = given;
  const money = (value: number): string => toDecimal(minor(value), currency);
  const steps: Step[] = [step(recordedText(terms, money), terms.amount_minor)];
  if (terms.capped_from_minor !== null)
    steps.push(
      step(
        `Capped: ${money(terms.capped_from_minor)} became ${money(terms.amount_minor)}.`,
        terms.amount_minor,
      ),
    );
  if (back.left.top < back.left.bottom) steps.push(refundStep(given, money));
  for (const fact of given.facts)
    if (fact.data.kind === 'refund' && fact.data.converted)
      steps.push(
        step(
          `A refund of ${toDecimal(minor(fact.data.converted.gross_minor), fact.data.converted.from)} ` +
            `${fact.data.converted.from} was converted at ${fact.data.converted.rate}.`,
          amount,
          fact,
        ),
      );
  if (correction) steps.push(...correctionSteps(given, correction, money));
  steps.push(outcomeStep(given, money));
  return steps;
}

const step = (text: string, amount: number, fact: Pick<Fact, 'at' | 'actor_id'> | null = null): Step => ({
  text,
  amount_minor: amount,
  at: fact?.at ?? null,
  actor_id: fact?.actor_id ?? null,
});

function recordedText(terms: OrderTerms, money: (value: number) => string): string {
  const amount = terms.capped_from_minor ?? terms.amount_minor;
  if (terms.rate === null || terms.level === null) return `The commission was given as ${money(amount)}.`;
  const rule = terms.rule === null ? '' : ` (${terms.rule} rate)`;
  if (terms.level === 'item')
    return `Rates of its items${rule} on ${money(terms.base_minor)} = ${money(amount)}.`;
  return `${terms.rate}${rule} of ${money(terms.base_minor)} = ${money(amount)}.`;
}

function refundStep({ terms, back, base }: Explained, money: (value: number) => string): Step {
  const kept =
    terms.flat_rule === 'keep' && back.left.top > 0n ? Math.min(terms.flat_minor, terms.amount_minor) : 0;
  const after = kept + times(terms.amount_minor - kept, back.left);
  return step(
    `${money(back.gross_minor)} of ${money(terms.grand_total_minor)} refunded, ` +
      `which leaves ${money(base)} of ${money(terms.base_minor)}: ` +
      `${money(terms.amount_minor)} becomes ${money(after)}.`,
    after,
  );
}

function correctionSteps(
  { amount }: Explained,
  correction: NonNullable<Explained['correction']>,
  money: (value: number) => string,
): Step[] {
  const { amount_minor: set, reason } = correction.data;
  const who = correction.actor_id === null ? '' : ` by user ${correction.actor_id}`;
  const why = reason === null ? '' : `: ${reason}`;
  const corrected = step(
    `Corrected to ${money(set)} on ${(toIso(correction.at) ?? '').slice(0, 10)}${who}${why}.`,
    set,
    correction,
  );
  return amount === set
    ? [corrected]
    : [
        corrected,
        step(`Refunded since then, in proportion: ${money(set)} becomes ${money(amount)}.`, amount),
      ];
}

const SENTENCES: Readonly<Record<string, string>> = {
  unpaid_order: 'the order is not paid yet',
  dispute: 'the payment is disputed',
  manual: 'a person holds it',
  unsigned: 'nobody signed who brought the buyer',
  currency_mismatch: 'an amount is in another currency',
  totals_mismatch: 'the items and the total of the order do not fit together',
  refunded: 'the order was refunded in full',
  disputed: 'the dispute was lost',
  canceled: 'the order was canceled',
  failed: 'the payment failed',
  voided: 'the order was voided',
  deleted: 'the order was deleted',
};

function outcomeStep({ status, causes, amount }: Explained, money: (value: number) => string): Step {
  if (status === 'unpaid') return step(`Due: ${money(amount)}.`, amount);
  const ends = causes.filter((cause) => cause.ends);
  const shown = status === 'rejected' ? ends : causes;
  const sentences = [...new Set(shown.map((cause) => sentence(cause)))].join(', ');
  return status === 'rejected'
    ? step(`Nothing is due: ${sentences}.`, 0)
    : step(`${money(amount)} waits: ${sentences}.`, amount);
}

function sentence({ name, reason, ends }: Cause): string {
  const first = name.startsWith('first:') ? 'of its first order: ' : '';
  if (reason === 'manual' && ends) return `${first}a person rejected it`;
  return first + (SENTENCES[reason] ?? `held by rule ${reason.replace(/^fraud:/u, '')}`);
}
