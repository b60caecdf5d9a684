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
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** The states that a payer can answer. */
export type ToldState = Exclude<PaymentState, 'prepared' | 'unknown'>;

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
  readonly payments: readonly Payment[];
}

/** A fee in minor units. */
export interface PaymentFee {
  readonly amount_minor: number;
  readonly currency: string;
}

export type SendAnswer =
  | {
      readonly key: string;
      readonly status: 'submitted';
      readonly ref: string;
      /** `submitted` unless the payer already knows more. */
      readonly state?: ToldState;
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
  readonly payments: readonly SendAnswer[];
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
  readonly state: ToldState;
  /** When it came into this state, epoch ms, by the payer's clock. */
  readonly at: number;
  readonly amount_minor?: number;
  readonly currency?: string;
  readonly fee?: PaymentFee;
  /** The payer's code of a failure. */
  readonly code?: string;
  readonly message?: string;
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
  /** Verifies an event and answers which payments or batches to fetch; null: it is not authentic. */
  webhook?(delivery: PayerDelivery): Promise<readonly string[] | null>;
  cancel?(ref: PaymentRef): Promise<void>;
  /** The fee of each payment, by its key. */
  quote?(batch: SentBatch): Promise<Readonly<Record<string, PaymentFee>>>;
  balance?(currency: string): Promise<{ readonly available_minor: number } | null>;
  /** Every payment of these batches, also one that we do not know. */
  list?(batches: readonly { readonly key: string; readonly ref: string | null }[]): Promise<readonly PaymentTruth[]>;
  /** Says in words what is wrong with the credentials; null: nothing. */
  test?(): Promise<string | null>;
  /** Where an affiliate connects an account, for methods with an onboarding page. */
  connect?(account: { readonly details: Readonly<Record<string, string>>; readonly email: string; readonly returnUrl: string }): Promise<{
    readonly url: string;
    readonly details: Readonly<Record<string, string>>;
  }>;
  /** Reads the bank's answer to a file. */
  readAnswer?(text: string): readonly PaymentTruth[];
}
