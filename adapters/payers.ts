import type { JsonMap } from '../src/core/is-map.js';
import type { Minor } from '../src/core/money.js';

// What a payout method is, and what it is given (docs/payout-methods.md).

/** A payout as methods get it: a batch of transactions. */
export interface PayoutSnapshot {
  readonly id: number;
  readonly created_by: number | null;
  readonly total_amount_minor: Minor;
  readonly payout_method: string;
  readonly status: 'draft' | 'processing' | 'paid';
  readonly currency: string | null;
  readonly title: string;
  readonly description: string | null;
  /** What the run was asked for. */
  readonly settings: JsonMap | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What one affiliate gets in one payout, as methods get it. */
export interface TransactionSnapshot {
  readonly id: number;
  readonly created_by: number | null;
  /** Null once the affiliate was deleted. */
  readonly affiliate_id: number | null;
  readonly payout_id: number;
  readonly total_amount_minor: Minor;
  readonly payout_method: string;
  readonly status: 'processing' | 'paid';
  readonly currency: string | null;
  readonly settings: JsonMap | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A payment and its payee: a line of a payment file before the method formats it. */
export interface PaymentLine {
  readonly transaction: TransactionSnapshot;
  /** The program's number of the affiliate's user; null without one. */
  readonly user_id: number | null;
  readonly affiliate_name: string;
  readonly email: string;
  readonly payment_email: string;
  readonly bank_details: string;
  /** What the affiliate had entered, when the payout was run, for a method that stores details of its own. */
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
  readonly payout: PayoutSnapshot;
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
   * The details an affiliate needs to be paid this way. Affiliates without them are named, and skipped by the
   * file and by a bulk "paid". With a schema, the method stores details of its own, encrypted.
   */
  readonly details?: PaymentDetails | DetailsForm;
  /** Gets the transactions to be paid, without those that lack details. */
  prepare?(batch: PaymentBatch): PaymentFile | Promise<PaymentFile>;
  /**
   * Runs after a transaction of this method was marked paid; an error is logged and changes nothing. A
   * transaction can be set back and marked again, so a method that pays must use the transaction's id as the
   * key of the payment. `payee` is who is paid, and where.
   */
  acknowledge?(
    transaction: TransactionSnapshot,
    payout: PayoutSnapshot,
    payee: PaymentLine,
  ): void | Promise<void>;
  /** Runs after a failed transaction has released its referrals. */
  fail?(transaction: TransactionSnapshot, cause: string): void | Promise<void>;
}

/** The states that a payer can report. */
export type ReportedState =
  'submitted' | 'processing' | 'unclaimed' | 'held' | 'paid' | 'failed' | 'returned' | 'canceled';

/** What an affiliate enters for a method: a form of text fields, stored encrypted. */
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
  /** An earlier call of this batch got no response. */
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
      /** Absent where the payer names its payments later; `fetch` then finds them by key. */
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
  /** How long the payer remembers an idempotency key. */
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
  /** Submits payments. After an exception, their state is unknown. */
  send?(batch: SentBatch): Promise<Sending>;
  /** What the payer knows; what it does not know is absent. */
  fetch?(refs: readonly PaymentRef[]): Promise<readonly PaymentTruth[]>;
  /** Verifies an event and returns what it is about; null: it is not authentic. */
  webhook?(delivery: PayerDelivery): Promise<readonly string[] | PayerNews | null>;
  cancel?(ref: PaymentRef): Promise<void>;
  /** The fee of each payment, by its key. */
  quote?(batch: SentBatch): Promise<Readonly<Record<string, PaymentFee>>>;
  balance?(currency: string): Promise<{ readonly available_minor: number } | null>;
  /** Every payment of these batches, also one that we do not know. */
  list?(
    batches: readonly { readonly key: string; readonly ref: string | null }[],
  ): Promise<readonly PaymentTruth[]>;
  /** Returns what is wrong with the credentials, as text; null: nothing. */
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
  /** Reads the bank's report on a file; null: it is none. */
  readAnswer?(text: string): BankReport | null;
}

/** What an event of a payer is about. */
export interface PayerNews {
  /** References of payments or batches to fetch. */
  readonly payments: readonly string[];
  /** Details of affiliates that the payer checks anew: `check` is asked about them. */
  readonly details: readonly Readonly<Record<string, string>>[];
}

export interface BankReport {
  /** Our key of the batch; null: it names payments of any batch, by their `ref`. */
  readonly batch: string | null;
  /** Its result for all payments that it does not name. */
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
  /** Throws an Error whose message names the wrong field. */
  make(credentials: Credentials): PayoutMethod;
}
