import type { PaymentState, PayoutMethod, Payment } from '../../accounting/payouts/types.js';

export type { PaymentState } from '../../accounting/payouts/types.js';

/** A field of the form for a payer's credentials. */
export interface CredentialField {
  readonly label: string;
  /** Never shown again. */
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly choices?: readonly string[];
}

export type Credentials = Readonly<Record<string, string>>;

/** A built-in payer: what it needs to be set up, and the method it becomes. */
export interface PayerKind {
  readonly key: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, CredentialField>>;
  /** Throws an Error whose message says what is wrong with a field. */
  make(credentials: Credentials): PayoutMethod;
}

/** `prepared`: to be called. `calling`: a call is underway. `unknown`: its outcome is not known. `sent`: answered. */
export const BATCH_STATES = ['prepared', 'calling', 'unknown', 'sent', 'stuck'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export interface Batch {
  readonly id: number;
  readonly payout_id: number;
  readonly method: string;
  readonly batch_key: string;
  readonly state: BatchState;
  readonly sandbox: boolean;
  readonly ref: string | null;
  readonly call_until: number | null;
  readonly next_at: number | null;
  readonly calls: number;
  readonly called_at: number | null;
  readonly created_at: number;
}

export interface Attempt {
  readonly id: number;
  readonly batch_id: number;
  readonly payout_id: number;
  readonly transaction_id: number;
  readonly affiliate_id: number | null;
  readonly try: number;
  readonly method: string;
  readonly attempt_key: string;
  readonly state: PaymentState;
  readonly booked: boolean;
  readonly sandbox: boolean;
  readonly amount_minor: number;
  readonly sent_minor: number;
  readonly currency: string;
  readonly fee_minor: number | null;
  readonly fee_currency: string | null;
  readonly fee_by: FeeBy;
  readonly ref: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly details_mark: string;
  readonly sealed: string | null;
  readonly payer_at: number | null;
  readonly until_at: number | null;
  readonly next_at: number | null;
  readonly checks: number;
  readonly created_at: number;
  readonly updated_at: number;
}

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
export type Frozen = Pick<Payment, 'details' | 'name' | 'note' | 'user_id'>;

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

export interface DetailsRow {
  readonly affiliate_id: number;
  readonly method: string;
  readonly sealed: string | null;
  readonly label: string;
  readonly state: DetailsState;
  readonly reason: string | null;
  readonly mark: string | null;
  readonly chosen: boolean;
}

export const FINDING_KINDS = [
  'missing_at_payer',
  'unknown_to_us',
  'amount_differs',
  'paid_after_end',
  'transaction_gone',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly id: number;
  readonly kind: FindingKind;
  readonly method: string;
  readonly payout_id: number | null;
  readonly attempt_id: number | null;
  readonly ref: string | null;
  readonly amount_minor: number | null;
  readonly found_minor: number | null;
  readonly currency: string | null;
  readonly created_at: number;
}

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
