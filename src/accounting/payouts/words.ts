// The words and shapes that the records of payouts are made of.

/** `draft`: a run of more commissions than one step pays, until its last step. */
export const PAYOUT_STATUSES = ['draft', 'processing', 'paid'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];
export const TRANSACTION_STATUSES = ['processing', 'paid'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/**
 * The input of a run, as resolved when it ran; dates are `YYYY-MM-DD HH:MM:SS` on the site's clock,
 * min_payout is decimal.
 */
export interface PayoutSettings {
  readonly start_date: string;
  readonly end_date: string;
  readonly min_payout: number;
  readonly affiliate_ids: readonly number[];
  readonly [key: string]: unknown;
}

/** Where a payment is (docs/payout-methods.md §2). */
export const PAYMENT_STATES = [
  'prepared',
  'unknown',
  'submitted',
  'processing',
  'unclaimed',
  'held',
  'paid',
  'failed',
  'returned',
  'canceled',
] as const;
/** The states in which the payer is asked. */
export const OPEN_PAYMENTS = ['prepared', 'unknown', 'submitted', 'processing', 'unclaimed', 'held'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
