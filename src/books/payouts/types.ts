import type { Minor } from '../../core/money.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { DetailsForm, Payer } from './payer-types.js';
import type { Payout, PayoutTransaction } from './record.js';
import type { PayoutSettings } from './words.js';

export * from './words.js';
export type * from './payer-types.js';
export type { Payout, PayoutTransaction } from './record.js';

/**
 * What happened to a commission after it was claimed: less is due, its order is disputed, or another reason
 * holds it.
 */
export const COMMISSION_CHANGES = ['refunded', 'disputed', 'held'] as const;
export type CommissionChange = (typeof COMMISSION_CHANGES)[number];

/** A transaction that a bulk "paid" or a payment file left out, and why. */
export interface LeftOut {
  readonly transaction_id: number;
  readonly affiliate_id: number | null;
  readonly amount_minor: Minor;
  readonly code: 'missing_payment_details' | 'commissions_changed' | 'payment_in_flight';
}

export interface PayoutCounts {
  readonly referrals_count: number;
  readonly transactions_count: number;
  /** Transactions whose affiliate still exists. */
  readonly affiliates_count: number;
}

/**
 * The submitted form of a run; checked by `readConfig`.
 * Fields of extensions stay in it and reach the filters.
 */
export interface PayoutConfigInput {
  readonly title?: string;
  readonly description?: string;
  readonly affiliate_ids?: readonly (number | string)[] | null;
  readonly start_date?: string | null;
  readonly end_date?: string | null;
  readonly min_payout?: number | string | null;
  readonly currency?: string | null;
  /** Key of a payout method, stored with the payout and its transactions; `manual` unless given. */
  readonly payout_method?: string | null;
  readonly preview_token?: string | null;
  readonly [key: string]: unknown;
}

/** A checked configuration with every default filled in. */
export interface PayoutConfig {
  readonly title: string;
  readonly description: string;
  readonly affiliate_ids: readonly number[];
  /** First and last instant of the range, epoch ms, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly currency: string;
  /** True when referrals without a currency belong to this run. */
  readonly program: boolean;
  readonly min_payout_minor: Minor;
  readonly payout_method: string;
  readonly preview_token: string | null;
  readonly settings: PayoutSettings;
}

/** One affiliate that can be paid. */
export interface PayableGroup {
  readonly affiliate_id: number;
  readonly user_id: number | null;
  readonly status: string;
  readonly has_payment_details: boolean;
  readonly referral_count: number;
  readonly amount_minor: Minor;
  readonly highest_id: number;
  /** Sum of the referral ids: together with count and amount, it shows whether two sets differ. */
  readonly id_sum: string;
}

export interface SkippedCurrency {
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly referral_count: number;
}

/** What happens to an unpaid amount in a run: it is paid, or the first reason that prevents it. */
export const UNPAID_REASONS = [
  'paid_now',
  /** Pending: an open reason such as an unpaid order, a suspicion or a dispute. */
  'held',
  /** Its hold has not ended. */
  'until',
  'other_currency',
  'outside_range',
  'not_selected',
  'inactive',
  'no_payment_details',
  /** Also for a balance of 0 or less. */
  'below_minimum',
  /** The host does not know the affiliate's user, or there is no affiliate. */
  'user_missing',
] as const;
export type UnpaidReason = (typeof UNPAID_REASONS)[number];

export interface PayoutWarning {
  readonly affiliate_id: number;
  readonly code: 'missing_payment_details' | 'affiliate_inactive';
}

/** What `payout/before_create` may change; everything else of the row is computed. */
export interface NewPayout {
  readonly title: string;
  readonly description: string;
  readonly payout_method: string;
  readonly status: 'draft';
  readonly total_amount_minor: number;
  readonly currency: string;
  readonly settings: PayoutSettings;
  readonly created_by: number | null;
}

/** An affiliate of a run as hooks see it: the record, and what the affiliate is about to get. */
export interface PayableAffiliate extends Affiliate {
  readonly payable_referral_count: number;
  readonly total_payable_amount_minor: Minor;
}

/** One line of a payment file before the method formats it. */
export interface PaymentLine {
  readonly transaction: PayoutTransaction;
  readonly affiliate_name: string;
  readonly email: string;
  readonly payment_email: string;
  readonly bank_details: string;
  /** What the affiliate entered for a method that keeps details of its own. */
  readonly details?: Readonly<Record<string, string>>;
  /** Decimal text in the transaction's currency. */
  readonly amount: string;
  readonly currency: string;
}

interface PaymentFileName {
  readonly name: string;
  readonly contentType: string;
}

/** A CSV file in the form of the payment service, made from `rows`. */
export interface PaymentTable extends PaymentFileName {
  readonly kind: 'csv';
  /** The first line has the names of the columns. */
  readonly header: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  /** The most rows the service takes in one file; longer ones are split by `?part=2`. */
  readonly maxRows?: number;
}

/** A file of any other kind, such as pain.001: one part, with its whole text. */
export interface PaymentDocument extends PaymentFileName {
  readonly kind: 'document';
  readonly text: string;
}

export type PaymentFile = PaymentTable | PaymentDocument;

/** The details an affiliate needs to be paid by a method. */
export type PaymentDetails = 'payment_email' | 'bank_details';

/** The input of `prepare`: the payout and the transactions to be paid. */
export interface PaymentBatch {
  readonly payout: Payout;
  readonly lines: readonly PaymentLine[];
}

/**
 * A way to pay, by `prepare`, by `send`, or by both. `prepare` turns a batch into a file for a payment service.
 * `send` and its companions submit payments and learn what became of them (docs/payout-methods.md). A method that
 * calls a service without them does so in `acknowledge` (after a transaction was marked paid), and reports failures
 * by `service.payouts.failTransaction`.
 */
export interface PayoutMethod extends Payer {
  readonly key: string;
  readonly title: string;
  /**
   * The details an affiliate needs to be paid this way. Affiliates without them are named, and left out of
   * the file and of a bulk "paid". A schema makes the method keep details of its own, encrypted.
   */
  readonly details?: PaymentDetails | DetailsForm;
  /** Gets the transactions to be paid, without those that lack details. */
  prepare?(batch: PaymentBatch): PaymentFile | Promise<PaymentFile>;
  /**
   * Runs after a transaction of this method was marked paid; an error is logged and changes nothing. A
   * transaction can be set back and marked again, so a method that pays must use the transaction's id as the
   * key of the payment.
   */
  acknowledge?(transaction: PayoutTransaction, payout: Payout): void | Promise<void>;
  /** Runs after a failed transaction has released its referrals. */
  fail?(transaction: PayoutTransaction, cause: string): void | Promise<void>;
}
