import type { Payment } from '../../../adapters/payers.js';
import type { PaymentState } from '../../accounting/payouts/types.js';

export type { CredentialField, Credentials, PayerKind } from '../../../adapters/payers.js';
export { OPEN_PAYMENTS } from '../../accounting/payouts/types.js';
export type { PaymentState };

/**
 * `prepared`: to be called. `calling`: a call is underway. `unknown`: its outcome is not known. `sent`: the
 * payer has responded.
 */
export const BATCH_STATES = ['prepared', 'calling', 'unknown', 'sent', 'stuck'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** How a transaction was sent to its affiliate. */
export interface SentPayment {
  readonly method: string;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
  readonly fee: number | null;
  readonly fee_currency: string | null;
  readonly fee_by: FeeBy;
  /** What is shown of the details that the affiliate entered for the method; '' where the profile has them. */
  readonly to: string;
}

/** What is frozen in an attempt, encrypted: a repeat sends the same. */
export type FrozenPayee = Pick<Payment, 'details' | 'name' | 'note' | 'user_id'>;

export type FeeBy = 'program' | 'affiliate';

/** Why an open transaction is not sent. */
export const SEND_LEFT_OUT = [
  'payment_in_flight',
  'missing_payment_details',
  'details_to_check',
  'details_refused',
  'commissions_changed',
  'payee_changed',
  'amount_out_of_range',
  'currency_not_supported',
  'fee_exceeds_amount',
] as const;
export type SendLeftOut = (typeof SEND_LEFT_OUT)[number];

/** An open transaction of a payout that a method would pay. */
export interface Candidate {
  readonly transaction_id: number;
  readonly affiliate_id: number | null;
  readonly amount_minor: number;
  readonly currency: string;
  readonly details: Readonly<Record<string, string>> | null;
  readonly name: string;
  readonly user_id: number | null;
  readonly left_out: SendLeftOut | null;
  readonly reason: string | null;
  readonly fee: { readonly amount_minor: number; readonly currency: string } | null;
}

export const DETAILS_STATES = ['ok', 'check', 'refused'] as const;
export type DetailsState = (typeof DETAILS_STATES)[number];

export const FINDING_KINDS = [
  'missing_at_payer',
  'unknown_to_us',
  'amount_differs',
  'paid_after_end',
  'transaction_gone',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** The settings of sending. */
export interface PayerSettings {
  readonly fee_by: FeeBy;
  /** Methods among which affiliates choose; empty: the payout's own method. */
  readonly offered: readonly string[];
  readonly schedule: Schedule | null;
}

export interface Schedule {
  readonly every: 'month' | 'week';
  /** Day of the month (1–28), or of the week (1 Monday – 7 Sunday). */
  readonly day: number;
  /** Commissions of the last days before the run wait for the next one. */
  readonly cut_off_days: number;
  readonly method: string;
  readonly auto_send: boolean;
  /** Sums from here on wait for a person; decimal, in the program's currency. Null: no limit. */
  readonly approval_above: number | null;
}
