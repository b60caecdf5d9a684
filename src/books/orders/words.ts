// The words and shapes that orders and their facts are made of.

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
export const REJECT_REASONS = [
  'refunded',
  'canceled',
  'failed',
  'voided',
  'deleted',
  'disputed',
  'manual',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export const DUE_STATUSES = ['unpaid', 'pending', 'rejected'] as const;
export type DueStatus = (typeof DUE_STATUSES)[number];

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
