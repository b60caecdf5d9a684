import type { Minor } from '../../core/money.js';
import type { Referral, StepKind } from '../referrals/types.js';
import type { DueStatus, FactData, OpenCause, OpenReason, RejectReason } from './words.js';

export type { NewOrder, Order } from './record.js';
export * from './words.js';

export interface NewFact {
  /** The same fact always has the same key, so a repeat is not stored again. */
  readonly key: string;
  readonly at: number;
  readonly data: FactData;
}

export interface Fact<D extends FactData = FactData> {
  readonly id: number;
  readonly key: string;
  readonly at: number;
  readonly data: D;
  readonly actor_id: number | null;
  /** Where it came from: code, rest, provider, job … */
  readonly source: string;
  readonly created_at: number;
}

/** A line of the explanation. `amount_minor` is the commission after this step. */
export interface Step {
  readonly kind: StepKind;
  /** The values in the sentence: amounts as decimal text in the order's currency, rates, names. */
  readonly values: Readonly<Record<string, string>>;
  /** Why the commission waits, or why nothing is due. */
  readonly causes: readonly string[];
  readonly text: string;
  readonly amount_minor: number;
  readonly at: number | null;
  readonly actor_id: number | null;
}

/** Why a commission cannot be paid yet, with the name that an approval clears it by. */
export interface Cause {
  readonly name: string;
  readonly reason: OpenReason | RejectReason;
  /** When true, nothing is due at all. */
  readonly ends: boolean;
}

/** What an order takes from the earlier order it follows. */
export interface InheritedTerms {
  readonly causes: readonly OpenCause[];
  /** Why a person or a bank ended the subscription by its first payment; null otherwise. */
  readonly rejected: { readonly name: string; readonly reason: RejectReason } | null;
}

export interface Due {
  readonly amount: Minor;
  /** What the content that counts comes to before refunds. */
  readonly full: Minor;
  /** What is left of the base. */
  readonly base: Minor;
  readonly status: DueStatus;
  readonly reject_reason: RejectReason | null;
  readonly reasons: readonly OpenReason[];
  readonly causes: readonly Cause[];
  /** The order was paid, according to its source or a person. */
  readonly is_paid: boolean;
  /** It rests on no more than the buyer has paid and not got back (I18). */
  readonly is_covered: boolean;
  /** What is left of the order after refunds. */
  readonly left: { readonly top: bigint; readonly bottom: bigint };
  /** The gross amount refunded, as far as it is known. */
  readonly refunded_minor: number;
  readonly steps: readonly Step[];
}

/** Why a fact did not change what is owed. */
export const UNCHANGED_REASONS = [
  'unknown_order',
  'unchanged',
  'rejected',
  'locked',
  'deleted',
  'currency_mismatch',
] as const;
export type UnchangedReason = (typeof UNCHANGED_REASONS)[number];

export interface SettleResult {
  readonly referral: Referral | null;
  readonly changed: boolean;
  readonly reason: UnchangedReason | null;
}

/** No order has this name. */
export const UNKNOWN_ORDER = { referral: null, changed: false, reason: 'unknown_order' } as const;

/** The name of an order; `reference` and `sub_reference` are '' when absent. */
export interface OrderName {
  readonly provider: string;
  readonly account: string;
  readonly reference: string;
  readonly sub_reference: string;
}

/** Another event of the same order was stored after its record was read. */
export class OrderMoved extends Error {
  constructor() {
    super('The order was recorded by another event meanwhile.');
  }
}
