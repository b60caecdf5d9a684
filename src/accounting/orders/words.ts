import type { RewardFacts, RewardRule } from '../../core/rewards/types.js';
import type { NewReferral } from '../referrals/types.js';

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

/** Why a commission is open, with the name that an approval clears it by. */
export interface OpenCause {
  readonly name: string;
  readonly reason: OpenReason;
}

export const PAYMENT_STATES = ['paid', 'failed', 'canceled', 'voided', 'deleted'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export const DISPUTE_STATES = ['opened', 'won', 'lost'] as const;
export type DisputeState = (typeof DISPUTE_STATES)[number];

/** Why nothing is due. */
export const REJECT_REASONS = [
  'canceled',
  'failed',
  'voided',
  'deleted',
  'refunded',
  'disputed',
  'manual',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

/** The source of orders whose commission a person entered, and the provider of those that name none. */
export const ENTERED = 'manual';

/** The source of orders that a person gave to another affiliate. */
export const GIVEN = 'person';

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
 * A part of an order that refunds reduce by itself, with what it earns. The parts of an order add up to what
 * the buyer was charged. Minor units.
 */
export interface OrderPart {
  readonly kind: 'item' | 'shipping' | 'fees' | 'rest';
  /** The id of the line; null for what is in no line. */
  readonly id: string | null;
  /** What the buyer was charged for it, tax included. */
  readonly gross_minor: number;
  /** The amount it earns from. */
  readonly base_minor: number;
  /** Percent × 10 000. */
  readonly rate_e4: number;
  /** A flat rate of this line alone. */
  readonly flat_minor: number;
  /** All parts with this rule together earn at most this. */
  readonly cap?: { readonly rule: string; readonly amount_minor: number };
}

/** The reward rules an order was recorded with. Later rules do not replace them (docs/rewards.md). */
export interface FrozenRewards {
  /** Null when no rule set was active: then only the facts are stored. */
  readonly set: { readonly id: number; readonly version: number } | null;
  readonly facts: RewardFacts;
  readonly facts_hash: string;
  /** The rate that counts where no rule does: of the affiliate, the group, the program, a renewal. */
  readonly base: Pricing['rate'];
  /** The rules that counted, and those for single items, which an edited order may have. */
  readonly rules: readonly RewardRule[];
}

/** The rates and rules of the first report. An order that is edited later is priced by them again. */
export interface Pricing {
  readonly rate: { readonly type: 'percentage' | 'flat'; readonly rate_e4: number; readonly source: string };
  readonly rules: readonly {
    readonly object_type: 'product' | 'category';
    readonly object_ids: readonly (string | number)[];
    readonly rate_e4: number;
    readonly rate_type: 'percentage' | 'fixed';
  }[];
  readonly choose: 'first' | 'best';
  readonly base: {
    readonly exclude_shipping: 'yes' | 'no';
    readonly exclude_tax: 'yes' | 'no';
    readonly exclude_discount: 'yes' | 'no';
    readonly include_fees: boolean;
  };
  readonly program_currency: string;
  /** The exchange rate of a flat rate, as decimal text; null when none was needed or known. */
  readonly exchange: string | null;
  readonly excluded_products: readonly string[];
  readonly excluded_categories: readonly string[];
  /** Absent in orders that were recorded before there were reward rules. */
  readonly rewards?: FrozenRewards;
}

/** A limit on what an affiliate earns from one customer, or on the renewals of one subscription that earn. */
export type OrderLimit =
  | { readonly kind: 'customer'; readonly amount_minor: number; readonly days: number }
  | { readonly kind: 'renewals'; readonly count: number }
  | {
      /** A cap of a reward rule, on what the affiliate's orders with this rule earn together. */
      readonly kind: 'reward';
      readonly rule: string;
      readonly of_customer: boolean;
      readonly amount_minor: number;
      /** Orders recorded from here … */
      readonly from: number;
      /** … until here; null: without an end. */
      readonly until: number | null;
    };

/** What a click looked like to a fraud rule, when no stored visit has it: `['paid_traffic', 'gclid']`. */
export type ClickSign = readonly [rule: 'banned_referrer' | 'coupon_site' | 'paid_traffic', sign: string];

/** The click that set or renewed the cookie of an order's buyer. */
export interface LatestClick {
  readonly at: number;
  readonly signs: readonly ClickSign[];
}

/** The commission of an order that earns nothing yet: its row, as far as the order does not know it. */
export interface CommissionDraft {
  readonly row: Omit<
    NewReferral,
    'affiliate_id' | 'customer_id' | 'visit_id' | 'parent_id' | 'status' | 'amount_minor' | 'reject_reason'
  >;
  /** The fraud rule by which the buyer was refused; null when only the amount is missing. */
  readonly refused: string | null;
}

/**
 * What was bought, and what it earns by the terms of the first report. Amounts are minor units of the order's
 * currency.
 */
export interface OrderContent {
  /** The commission, after rules and extensions. */
  readonly amount_minor: number;
  /** The amount it was computed from: the order total of the commission. */
  readonly base_minor: number;
  /** `base_minor` before it was reduced to the money received; refunded items are compared with it. */
  readonly basis_minor: number;
  /** The gross amount charged. */
  readonly grand_total_minor: number;
  /** The part that does not depend on the order's value, and the rule for it in partial refunds. */
  readonly flat_minor: number;
  readonly lines: readonly OrderLine[];
  /** Absent in orders of other systems when only their commission is known. */
  readonly parts?: readonly OrderPart[];
  /** The money received when it was reported; absent: the gross amount charged. */
  readonly paid_minor?: number;
  /** The money received when it was more than the order cost: it may pay for what is added later. */
  readonly received_minor?: number;
  /** The source reported the amount. */
  readonly is_paid_told?: true;
  /** The reasons that come with it: fraud rules, a missing signature, sums that do not match. */
  readonly reasons: readonly OpenReason[];
  /**
   * `order` or `item`, the source of the rate, and the rate as text; null when the source gave the commission
   * itself.
   */
  readonly level: string | null;
  readonly rule: string | null;
  readonly rate: string | null;
  readonly exchange: { readonly from: string; readonly rate: string } | null;
}

/** The order as first reported, and the terms it was recorded with. They never change. */
export interface OrderTerms extends OrderContent {
  readonly flat_rule: 'prorate' | 'keep';
  readonly counts: { readonly before_discount: boolean; readonly tax: boolean; readonly shipping: boolean };
  /** The commission before a cap reduced it when it was recorded. */
  readonly capped_from_minor: number | null;
  /** A hash of what was reported, so that a repeat is recognized. */
  readonly content_hash?: string;
  readonly pricing?: Pricing;
  readonly limits?: readonly OrderLimit[];
  /** The one limit of orders that were recorded by an older version. */
  readonly limit?: OrderLimit;
}

/** The returned parts, as the source reports them. */
export interface RefundParts {
  readonly items?: readonly {
    readonly item_id: string;
    readonly net: number;
    readonly tax: number;
    /** Tax included, where the source does not separate net and tax. */
    readonly gross?: number;
  }[];
  readonly shipping?: number;
  readonly shipping_tax?: number;
  readonly fees?: number;
  /** What earns nothing, such as duties. */
  readonly other?: number;
}

export type FactData =
  | {
      readonly kind: 'payment';
      readonly state: PaymentState;
      /** The money received so far; absent: the whole order. */
      readonly paid_minor?: number;
    }
  | {
      /** The order as its source reports it now. Only one with the state at its payment counts. */
      readonly kind: 'content';
      readonly hash: string;
      /** Null when the same content was stored before. */
      readonly content: OrderContent | null;
    }
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
      readonly parts?: RefundParts;
      readonly undone: boolean;
      /** A total that counts only until the source reports a refund with `by_id`. */
      readonly provisional?: boolean;
      /** The source reports each refund with its id. */
      readonly by_id?: boolean;
      /** Converted from another currency at the host's exchange rate. */
      readonly converted?: { readonly from: string; readonly gross_minor: number; readonly rate: string };
    }
  | { readonly kind: 'refund_list'; readonly ids: readonly string[] }
  | { readonly kind: 'dispute'; readonly dispute_id: string; readonly state: DisputeState }
  | {
      readonly kind: 'judgement';
      readonly verdict: 'approved' | 'rejected' | 'held';
      readonly reason: string | null;
      /** The affiliate may read the reason. */
      readonly shown?: true;
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
  | {
      /** A person gave the order to another affiliate; `referral_id` is the commission of the first one. */
      readonly kind: 'moved';
      readonly from: number;
      readonly to: number;
      readonly referral_id: number;
      readonly reason: string | null;
    }
  | { readonly kind: 'flag'; readonly word: string }
  | { readonly kind: 'deleted'; readonly by: 'person' | 'affiliate' };
