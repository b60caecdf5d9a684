import type { Minor } from '../../core/money.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { PayoutSettings } from './words.js';

export type * from '../../../adapters/payers.js';
export * from './words.js';
export type { Payout, PayoutTransaction } from './record.js';

/**
 * What happened to a commission after it was claimed: less is due, its order is disputed, or another reason
 * holds it.
 */
export const COMMISSION_CHANGES = ['refunded', 'disputed', 'held'] as const;
export type CommissionChange = (typeof COMMISSION_CHANGES)[number];

/** A transaction that a bulk "paid" or a payment file skipped, and why. */
export interface LeftOut {
  readonly transaction_id: number;
  readonly affiliate_id: number | null;
  readonly amount_minor: Minor;
  readonly code: 'missing_payment_details' | 'commissions_changed' | 'payee_changed' | 'payment_in_flight';
}

/** An affiliate that a run had planned to pay and did not, since its commissions changed meanwhile. */
export interface NotPaid {
  readonly affiliate_id: number;
  readonly amount_minor: Minor;
  readonly code: 'changed';
}

export interface PayoutCounts {
  readonly referrals_count: number;
  readonly transactions_count: number;
  /** Transactions whose affiliate still exists. */
  readonly affiliates_count: number;
  /** Payments of it were tried in a sandbox, where no money moves. */
  readonly sandbox: boolean;
}

/**
 * The submitted form of a run; checked by `readConfig`. It also has the fields of extensions, which reach the
 * filters.
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
  readonly code: 'missing_payment_details' | 'affiliate_inactive' | 'payee_changed';
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

/** Where a transaction pays its affiliate. */
export interface Payee {
  readonly payment_email: string;
  readonly bank_details: string;
}

/** What an affiliate entered for a method with details of its own. */
export interface PayeeForm {
  readonly method: string;
  /** Null: the affiliate chose the method and entered nothing for it. */
  readonly sealed: string | null;
  /** What is shown of it. */
  readonly label: string;
  /** Differs for different details. */
  readonly mark: string | null;
  readonly chosen: boolean;
}

/** Where a transaction pays its affiliate, by its method. */
export interface PaidTo extends Payee {
  /** What the affiliate entered for a method with details of its own; null: another method, or nothing. */
  readonly form: PayeeForm | null;
  /** For people: the address, the bank details, or what is shown of the form. */
  readonly text: string;
  /** The affiliate wants the money elsewhere by now. */
  readonly changed: boolean;
}
