import type { Minor } from '../../core/money.js';
import type { Referral, StepKind } from '../referrals/types.js';

/**
 * Why a commission may not be paid yet. `fraud:<rule>` names the fraud rule. Each reason is set and cleared
 * only by its own cause. `until` is shown in addition to these reasons: a commission that only waits for its
 * day is already `unpaid`.
 */
export const OPEN_REASONS = [
  'unpaid_order',
  'dispute',
  'manual',
  'unsigned',
  'currency_mismatch',
  'totals_mismatch',
] as const;
export type OpenReason = (typeof OPEN_REASONS)[number] | `fraud:${string}`;

export const PAYMENT_STATES = ['paid', 'failed', 'canceled', 'voided', 'deleted'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Why nothing is due. */
export type RejectReason = 'refunded' | 'canceled' | 'failed' | 'voided' | 'deleted' | 'disputed' | 'manual';

/** A line of an order as recorded; refunds of it are computed from this. Minor units. */
export interface OrderLine {
  readonly id: string;
  readonly net: number;
  readonly before: number;
  readonly tax: number;
  readonly commissionable: boolean;
}

/**
 * The order as first reported, and the terms it was recorded with. They never change. Amounts are minor units
 * of the order's currency.
 */
export interface OrderTerms {
  /** The commission as recorded, after rules, extensions and caps. */
  readonly amount_minor: number;
  /** The amount it was computed from: the order total of the commission. */
  readonly base_minor: number;
  /** The same before it was reduced to the money received; refunded items are compared with it. */
  readonly basis_minor: number;
  /** The gross amount charged. */
  readonly grand_total_minor: number;
  /** The part that does not depend on the order's value, and the rule for it in partial refunds. */
  readonly flat_minor: number;
  readonly flat_rule: 'prorate' | 'keep';
  readonly counts: { readonly before_discount: boolean; readonly tax: boolean; readonly shipping: boolean };
  readonly lines: readonly OrderLine[];
  /** The reasons of a new order: fraud rules, a missing signature, sums that do not match. */
  readonly reasons: readonly OpenReason[];
  /**
   * `order` or `item`, the source of the rate, and the rate as text; null when the source gave the commission
   * itself.
   */
  readonly level: string | null;
  readonly rule: string | null;
  readonly rate: string | null;
  readonly exchange: { readonly from: string; readonly rate: string } | null;
  /** The commission before a cap reduced it. */
  readonly capped_from_minor: number | null;
}

export type FactData =
  | { readonly kind: 'payment'; readonly state: PaymentState }
  | {
      readonly kind: 'refund';
      /** null: the sum of all refunds so far, as known at that time. */
      readonly refund_id: string | null;
      readonly gross_minor: number | null;
      /**
       * The refunded part of the commission's base, when the source or its items give it, and the base it is
       * a part of.
       */
      readonly base_minor: number | null;
      readonly basis_minor: number | null;
      readonly currency: string;
      readonly undone: boolean;
      /** A total that counts only until the source reports a refund with `by_id`. */
      readonly provisional?: boolean;
      /** The source reports each refund with its id. */
      readonly by_id?: boolean;
      /** Converted from another currency at the host's exchange rate. */
      readonly converted?: { readonly from: string; readonly gross_minor: number; readonly rate: string };
    }
  | { readonly kind: 'refund_list'; readonly ids: readonly string[] }
  | { readonly kind: 'dispute'; readonly dispute_id: string; readonly state: 'opened' | 'won' | 'lost' }
  | {
      readonly kind: 'judgement';
      readonly verdict: 'approved' | 'rejected' | 'held';
      readonly reason: string | null;
      /** What the person has cleared: names from `Due.causes`. */
      readonly clears: readonly string[];
    }
  | {
      readonly kind: 'correction';
      readonly amount_minor: number;
      /** What was left of the order at that moment, as an exact fraction. */
      readonly left: readonly [top: string, bottom: string];
      readonly reason: string | null;
    }
  | { readonly kind: 'flag'; readonly word: string }
  | { readonly kind: 'deleted'; readonly by: 'person' | 'affiliate' };

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

/** An order, from whatever source. */
export interface Order {
  readonly id: number;
  readonly order_key: string;
  readonly provider: string;
  /** The shop within the provider; '' when the provider has only one. */
  readonly account: string;
  readonly reference: string;
  readonly sub_reference: string;
  readonly subscription_id: string | null;
  readonly currency: string;
  /** null when nothing was credited, or only the affiliate is known. */
  readonly terms: OrderTerms | null;
  readonly customer_id: number | null;
  readonly affiliate_id: number | null;
  readonly visit_id: number | null;
  readonly referral_id: number | null;
  /**
   * The order whose open reasons also apply to this one: the first payment of a subscription, or a customer's
   * first order.
   */
  readonly first_order_id: number | null;
  readonly source: string | null;
  /** The result of recording it: `recorded`, `awaits_money`, or why nothing was credited. */
  readonly decision: string | null;
  readonly total_minor: number | null;
  /** What was due when it was last settled. */
  readonly due_minor: number | null;
  readonly due_status: DueStatus | null;
  readonly reject_reason: RejectReason | null;
  readonly reasons: readonly OpenReason[];
  /** What was paid but is no longer due, and is not taken back because option `clawback` was `off`. */
  readonly withheld_minor: number;
  /** A hash of the order's facts; '' before the first one (I16). */
  readonly facts_seal: string;
  readonly deleted_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}
export type NewOrder = Omit<Order, 'id' | 'order_key' | 'created_at' | 'updated_at'>;

export type DueStatus = 'unpaid' | 'pending' | 'rejected';

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

/** What keeps a commission from being paid, with the name by which an approval clears it. */
export interface Cause {
  readonly name: string;
  readonly reason: OpenReason | RejectReason;
  /** When true, nothing is due at all. */
  readonly ends: boolean;
}

/** What an order takes from the earlier order it follows. */
export interface Inherited {
  readonly reasons: readonly OpenReason[];
  /** Why the first payment of the subscription was rejected; null when it was not. */
  readonly rejected: RejectReason | null;
}

export interface Due {
  readonly amount: Minor;
  /** What is left of the base. */
  readonly base: Minor;
  readonly status: DueStatus;
  readonly reject_reason: RejectReason | null;
  readonly reasons: readonly OpenReason[];
  readonly causes: readonly Cause[];
  /** The order was paid, according to its source or a person. */
  readonly is_paid: boolean;
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

export interface Settled {
  readonly referral: Referral | null;
  readonly changed: boolean;
  readonly reason: UnchangedReason | null;
}

/** The name of an order; `reference` and `sub_reference` are '' when absent. */
export interface OrderName {
  readonly provider: string;
  readonly account: string;
  readonly reference: string;
  readonly sub_reference: string;
}
