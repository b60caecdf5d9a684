import type { Minor } from '../../core/money.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Payout, PayoutTransaction } from './record.js';
import type { PaymentState, PayoutSettings } from './words.js';

export * from './words.js';
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

/** A payment and its payee: a line of a payment file before the method formats it. */
export interface PaymentLine {
  readonly transaction: PayoutTransaction;
  /** The program's number of the affiliate's user; null without one. */
  readonly user_id: number | null;
  readonly affiliate_name: string;
  readonly email: string;
  readonly payment_email: string;
  readonly bank_details: string;
  /** What the affiliate had entered, when the payout was run, for a method that keeps details of its own. */
  readonly details?: Readonly<Record<string, string>>;
  /** Where the payment goes, for people. */
  readonly paid_to: string;
  /** The affiliate wants the money elsewhere by now. */
  readonly payee_changed: boolean;
  /** Decimal text in the transaction's currency. */
  readonly amount: string;
  readonly currency: string;
}

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
   * key of the payment. `payee` says who is paid, and where.
   */
  acknowledge?(transaction: PayoutTransaction, payout: Payout, payee: PaymentLine): void | Promise<void>;
  /** Runs after a failed transaction has released its referrals. */
  fail?(transaction: PayoutTransaction, cause: string): void | Promise<void>;
}

/** The states that a payer can answer. */
export type ReportedState = Exclude<PaymentState, 'prepared' | 'unknown'>;

/** What an affiliate enters for a method: a form of text fields, kept encrypted. */
export interface DetailsForm {
  /** The fields in their order. */
  readonly schema: Readonly<Record<string, DetailsField>>;
  /** What is shown afterwards, such as the last four characters. */
  mask(details: Readonly<Record<string, string>>): string;
  readonly label: string;
}

export interface DetailsField {
  readonly label: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  /** Allowed values. */
  readonly choices?: readonly string[];
}

/** One payment of a batch. */
export interface Payment {
  /** The id of the attempt. */
  readonly id: number;
  /** Idempotency key: it never changes for this attempt, and no other attempt has it. */
  readonly key: string;
  /** Decimal text. */
  readonly amount: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly details: Readonly<Record<string, string>>;
  readonly name: string;
  readonly user_id: number | null;
  readonly note: string;
}

/** Payments that are submitted together. The same key always comes with the same payments. */
export interface SentBatch {
  readonly key: string;
  /** The reference of the payer, when it is known. */
  readonly ref: string | null;
  readonly created_at: number;
  /** An earlier call of this batch was not answered. */
  readonly repeated: boolean;
  readonly payments: readonly Payment[];
}

/** A fee in minor units. */
export interface PaymentFee {
  readonly amount_minor: number;
  readonly currency: string;
}

export type SendResponse =
  | {
      readonly key: string;
      readonly status: 'submitted';
      /** Absent where the payer names its payments later; `fetch` then answers by key. */
      readonly ref?: string;
      /** `submitted` unless the payer already knows more. */
      readonly state?: ReportedState;
      readonly fee?: PaymentFee;
    }
  | {
      readonly key: string;
      readonly status: 'refused';
      readonly code: string;
      readonly message: string;
      /** Nothing is wrong with the payment itself (no balance, no access): it can be sent again. */
      readonly again?: boolean;
    };

export interface Sending {
  /** The payer's reference of the whole batch. */
  readonly ref?: string;
  readonly payments: readonly SendResponse[];
}

export interface PaymentRef {
  readonly key: string;
  readonly ref: string | null;
  readonly batch: string;
  readonly batch_ref: string | null;
}

/** What the payer knows of a payment. */
export interface PaymentTruth {
  readonly key: string | null;
  readonly ref: string | null;
  readonly state: ReportedState;
  /** When it came into this state, epoch ms, by the payer's clock. */
  readonly at: number;
  readonly amount_minor?: number;
  readonly currency?: string;
  readonly fee?: PaymentFee;
  /** The payer's code of a failure. */
  readonly code?: string;
  readonly message?: string;
  /** With an end: nothing is wrong with the payment itself, and it can be sent again. */
  readonly again?: boolean;
  /** When an unclaimed or held payment comes back, epoch ms. */
  readonly until?: number;
}

export type PaymentCheck = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface PayerLimits {
  readonly smallest_minor?: number;
  readonly largest_minor?: number;
  /** The most payments of a batch. */
  readonly maxItems?: number;
  /** How long the payer keeps an idempotency key. */
  readonly keyDays?: number;
}

export interface PayerDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
}

/** The members of a payout method that make payments leave. Calls never run inside a database transaction. */
export interface Payer {
  /** ISO codes; absent: any. */
  readonly currencies?: readonly string[];
  readonly limits?: PayerLimits;
  /** Payments are only tried: they never mark a transaction. */
  readonly sandbox?: boolean;
  /** How long a call may take; default 60 s. Afterwards its payments are `unknown`. */
  readonly timeoutMs?: number;
  /** Can this affiliate be paid? The reason of a refusal is shown to the affiliate. */
  check?(
    details: Readonly<Record<string, string>>,
    payment: { readonly amount: string | null; readonly currency: string },
  ): PaymentCheck | Promise<PaymentCheck>;
  /** Submits payments. An exception says nothing about them. */
  send?(batch: SentBatch): Promise<Sending>;
  /** What the payer knows; what it does not know is absent. */
  fetch?(refs: readonly PaymentRef[]): Promise<readonly PaymentTruth[]>;
  /** Verifies an event and answers what it is about; null: it is not authentic. */
  webhook?(delivery: PayerDelivery): Promise<readonly string[] | PayerNews | null>;
  cancel?(ref: PaymentRef): Promise<void>;
  /** The fee of each payment, by its key. */
  quote?(batch: SentBatch): Promise<Readonly<Record<string, PaymentFee>>>;
  balance?(currency: string): Promise<{ readonly available_minor: number } | null>;
  /** Every payment of these batches, also one that we do not know. */
  list?(
    batches: readonly { readonly key: string; readonly ref: string | null }[],
  ): Promise<readonly PaymentTruth[]>;
  /** Says in words what is wrong with the credentials; null: nothing. */
  test?(): Promise<string | null>;
  /** Where an affiliate connects an account, for methods with an onboarding page. */
  connect?(account: {
    readonly details: Readonly<Record<string, string>>;
    readonly email: string;
    readonly returnUrl: string;
  }): Promise<{
    readonly url: string;
    readonly details: Readonly<Record<string, string>>;
  }>;
  /** The file that a person carries to the bank; the same batch always makes the same file. */
  fileOf?(batch: SentBatch): PaymentFile;
  /** What the file calls a payment, where it has no room for the key; the bank names it by this `ref`. */
  fileRef?(key: string): string;
  /** Reads the bank's answer to a file; null: it is none. */
  readAnswer?(text: string): BankReport | null;
}

/** What an event of a payer is about. */
export interface PayerNews {
  /** References of payments or batches to fetch. */
  readonly payments: readonly string[];
  /** Details of affiliates that the payer judges anew: `check` is asked about them. */
  readonly details: readonly Readonly<Record<string, string>>[];
}

export interface BankReport {
  /** Our key of the batch; null: it names payments of any batch, by their `ref`. */
  readonly batch: string | null;
  /** What it says of every payment that it does not name. */
  readonly all: Omit<PaymentTruth, 'key' | 'ref'> | null;
  readonly payments: readonly PaymentTruth[];
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
  /** Tells two details apart. */
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
