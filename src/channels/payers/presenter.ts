import { toIso } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { PaymentFee, PayoutMethod } from '../../accounting/payouts/types.js';
import { keepsOwn, profileKind } from './method-facts.js';
import type { AttemptDto, BatchDto, FindingDto, KindDto, OwnMethodDto, PlanDto } from './schemas.js';
import type { Attempt, Batch, Finding, DetailsRow } from './record.js';
import type { SentPayment } from './types.js';
import type { SendPlan } from './sending.js';

export const LEFT_OUT_MAX = 1000;
type Facts = Omit<KindDto, 'fields' | 'credentials'>;

export const NOT_SET_UP: Facts = {
  key: '',
  title: '',
  ready: false,
  sandbox: false,
  makes_files: false,
  can_cancel: false,
  can_test: false,
  currencies: null,
};

export const factsOf = (method: PayoutMethod): Facts => ({
  key: method.key,
  title: method.title,
  ready: true,
  sandbox: method.sandbox === true,
  makes_files: method.fileOf !== undefined,
  can_cancel: method.cancel !== undefined,
  can_test: method.test !== undefined,
  currencies: method.currencies ? [...method.currencies] : null,
});

const amountOf = (value: number, currency: string): number => toWire(minor(value), currency);

export function presentPlan(
  { payout, method, candidates, ready, fee_by }: SendPlan,
  {
    fees,
    balance,
    names,
  }: {
    readonly fees: Readonly<Record<string, PaymentFee>>;
    readonly balance: number | null;
    readonly names: Names;
  },
): PlanDto {
  const currency = payout.currency ?? '';
  const sum = ready.reduce((total, each) => total + each.amount_minor, 0);
  const fee = ready.reduce(
    (total, each) => total + ((each.fee ?? fees[String(each.transaction_id)])?.amount_minor ?? 0),
    0,
  );
  const out = candidates.filter((each) => each.left_out !== null);
  return {
    method: method.key,
    title: method.title,
    sandbox: method.sandbox === true,
    count: ready.length,
    amount: amountOf(sum, currency),
    currency,
    fee_by,
    fees: method.quote === undefined ? null : amountOf(fee, currency),
    balance: balance === null ? null : amountOf(balance, currency),
    enough: balance === null ? null : balance >= sum,
    left_out_count: out.length,
    left_out: out.slice(0, LEFT_OUT_MAX).map((each) => ({
      transaction_id: each.transaction_id,
      affiliate_id: each.affiliate_id,
      affiliate_name: nameOf(names, each.affiliate_id),
      amount: amountOf(each.amount_minor, currency),
      code: each.left_out!, // filtered above
      reason: each.reason,
    })),
  };
}

/** Affiliates by name; deleted ones have none. */
type Names = ReadonlyMap<number, string>;
const nameOf = (names: Names, id: number | null): string | null => names.get(id ?? 0) ?? null;

export const presentAttempt = (attempt: Attempt, names: Names): AttemptDto => ({
  id: attempt.id,
  payout_id: attempt.payout_id,
  transaction_id: attempt.transaction_id,
  affiliate_id: attempt.affiliate_id,
  affiliate_name: nameOf(names, attempt.affiliate_id),
  batch_id: attempt.batch_id,
  try: attempt.try,
  method: attempt.method,
  key: attempt.attempt_key,
  state: attempt.state,
  sandbox: attempt.sandbox,
  amount: amountOf(attempt.amount_minor, attempt.currency),
  sent_amount: amountOf(attempt.sent_minor, attempt.currency),
  currency: attempt.currency,
  fee:
    attempt.fee_minor === null ? null : amountOf(attempt.fee_minor, attempt.fee_currency ?? attempt.currency),
  fee_currency: attempt.fee_currency,
  fee_by: attempt.fee_by,
  reference: attempt.ref,
  code: attempt.code,
  message: attempt.message,
  payer_at: toIso(attempt.payer_at),
  until: toIso(attempt.until_at),
  created_at: toIso(attempt.created_at),
  updated_at: toIso(attempt.updated_at),
});

export const presentBatch = (batch: Batch, method: PayoutMethod | null): BatchDto => ({
  id: batch.id,
  method: batch.method,
  key: batch.batch_key,
  state: batch.state,
  sandbox: batch.sandbox,
  reference: batch.ref,
  makes_file: method?.fileOf !== undefined,
  reads_answer: method?.readAnswer !== undefined,
  created_at: toIso(batch.created_at),
});

/** How a transaction was sent, for the statement of its affiliate. */
export const presentSent = (
  attempt: Attempt,
  method: Pick<PayoutMethod, 'title'> | undefined,
  known: readonly (Pick<DetailsRow, 'mark' | 'label'> | null | undefined)[],
): SentPayment => ({
  method: attempt.method,
  title: method?.title ?? attempt.method,
  amount: amountOf(attempt.sent_minor, attempt.currency),
  currency: attempt.currency,
  fee:
    attempt.fee_minor === null ? null : amountOf(attempt.fee_minor, attempt.fee_currency ?? attempt.currency),
  fee_currency: attempt.fee_currency,
  fee_by: attempt.fee_by,
  // entered for this method alone: as the payout stored it, or not changed since
  to: known.find((each) => each?.mark === attempt.details_mark)?.label ?? '',
});

export const presentFinding = (finding: Finding): FindingDto => {
  const currency = finding.currency ?? '';
  return {
    id: finding.id,
    kind: finding.kind,
    method: finding.method,
    payout_id: finding.payout_id,
    attempt_id: finding.attempt_id,
    reference: finding.ref,
    amount: finding.amount_minor === null ? null : amountOf(finding.amount_minor, currency),
    found_amount: finding.found_minor === null ? null : amountOf(finding.found_minor, currency),
    currency: finding.currency,
    created_at: toIso(finding.created_at),
  };
};

export function presentOwn(
  method: PayoutMethod,
  affiliate: Affiliate,
  stored: DetailsRow | null,
  isOffered: boolean,
): OwnMethodDto {
  const { label = '', schema = {} } = typeof method.details === 'object' ? method.details : {};
  return {
    key: method.key,
    title: method.title,
    sandbox: method.sandbox === true,
    offered: isOffered,
    profile_field: profileKind(method),
    complete: isComplete(method, affiliate, stored),
    ...stateOf(stored),
    shown: keepsOwn(method) ? (stored?.label ?? '') : '',
    connects: method.connect !== undefined,
    label,
    fields: Object.entries(schema).map(([name, field]) => ({
      name,
      label: field.label,
      required: field.required !== false,
      choices: [...(field.choices ?? [])],
    })),
  };
}

const stateOf = (stored: DetailsRow | null): Pick<OwnMethodDto, 'chosen' | 'state' | 'reason'> =>
  stored === null
    ? { chosen: false, state: 'ok', reason: null }
    : { chosen: stored.chosen, state: stored.state, reason: stored.reason };

function isComplete(method: PayoutMethod, affiliate: Affiliate, stored: DetailsRow | null): boolean {
  if (keepsOwn(method)) return stored !== null && stored.sealed !== null;
  const kind = profileKind(method);
  if (kind === null) return true;
  return Boolean(kind === 'payment_email' ? affiliate.payment_email : affiliate.settings.bank_details);
}
