import { type FraudHit, FRAUD_RULES } from '../fraud/types.js';
import type { Totals as ProviderTotals } from '../../../adapters/commerce.js';
import type { RulesDto } from '../../accounting/api-schemas.js';
import type { Minor } from '../../core/money.js';
import type { Facts } from '../../core/rewards/types.js';
import type { RejectReason, UnchangedReason } from '../../accounting/orders/types.js';
import type { Referral, ReferralType } from '../../accounting/referrals/types.js';

export type { RejectReason, UnchangedReason };

/** Decimal text, a number (read in its shortest decimal form), or minor units. */
export type MoneyInput = string | number | { readonly minor: number };

/** Why an order earned nothing. A shop's webhook delivery has further reasons (`channels/commerce`). */
export const SKIP_REASONS = [
  'duplicate',
  'deleted',
  'no_order_data',
  'no_affiliate',
  'no_cookie',
  'robot',
  'consent',
  'affiliate_inactive',
  'refused',
  'zero_amount',
  'upgrade_order',
  'renewals_disabled',
  'parent_unknown',
  'parent_rejected',
  'renewal_limit',
  'renewal_expired',
  'commission_cap',
  'provider_disabled',
  'currency_mismatch',
  'first_rejected',
  'lead_known',
  ...FRAUD_RULES,
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Reasons that mean no affiliate was found; such orders are counted, not stored. */
const UNATTRIBUTED: readonly SkipReason[] = ['no_affiliate', 'no_cookie', 'robot', 'consent'];
export const isUnattributed = (reason: SkipReason): boolean => UNATTRIBUTED.includes(reason);

/**
 * Why an order is not credited, the affiliate it would have belonged to, and the fraud rules that matched.
 */
export interface Skip {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly affiliateId: number | null;
  readonly hits?: readonly FraudHit[];
}
export const skip = (reason: SkipReason, affiliateId: number | null, hits?: readonly FraudHit[]): Skip => ({
  kind: 'skip',
  reason,
  affiliateId,
  ...(hits && { hits }),
});

export interface OrderInput {
  /** Net goods before discount. */
  readonly subtotal: MoneyInput;
  readonly discount?: MoneyInput;
  /** All tax of the order except `shipping_tax`. */
  readonly tax?: MoneyInput;
  readonly shipping?: MoneyInput;
  readonly shipping_tax?: MoneyInput;
  /** What a coupon took off the shipping; `shipping` is already without it. */
  readonly shipping_discount?: MoneyInput;
  readonly fees?: MoneyInput;
  /** The gross amount charged; default: the sum of the parts. */
  readonly total?: MoneyInput;
  /** The money received, when it is less than the total because of account credit or a gift card. */
  readonly paid?: MoneyInput;
  /** ISO 4217; default: the program currency. */
  readonly currency?: string;
  /** Two letters of ISO 3166, for reward rules. */
  readonly country?: string;
}

export interface ItemInput {
  readonly id: string | number;
  readonly title?: string;
  readonly categories?: readonly (string | number)[];
  /** For reward rules. */
  readonly sku?: string;
  readonly quantity?: number;
  /** Of the whole line, before discount. */
  readonly subtotal: MoneyInput;
  readonly discount?: MoneyInput;
  readonly tax?: MoneyInput;
  /** False for gift cards, tips and donations, which earn nothing. */
  readonly commissionable?: boolean;
}

export interface BuyerInput {
  readonly email?: string | null;
  readonly user_id?: number | null;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly ip?: string | null;
  /** The source's own id of the buyer, which does not change with the address. */
  readonly ref?: string | null;
  /**
   * The source's own name for the card or account used. Buyers and affiliates are recognized by it; only a
   * keyed hash is stored.
   */
  readonly payment_fingerprint?: string | null;
}

/** A rate for products or categories; of the rows that match an item one counts (setting `rate_rules`). */
export interface RateRule {
  readonly object_type: 'product' | 'category';
  readonly object_ids: readonly (string | number)[];
  /** × 10 000. */
  readonly rate_e4: number;
  readonly rate_type: 'percentage' | 'fixed';
}

export interface ConversionInput {
  /** The source's name, e.g. `shop`. */
  readonly provider: string;
  /** The order's id at the provider. Provider and id are the key by which a repeated order is recognized. */
  readonly reference?: string | number | null;
  /** A part of an order that earns on its own. */
  readonly sub_reference?: string | null;
  /** The shop within the provider, when there are several. */
  readonly account?: string;
  readonly type?: ReferralType;
  /** Default: `pending` until `complete` is called. */
  readonly status?: 'pending' | 'unpaid';
  readonly order?: OrderInput;
  readonly items?: readonly ItemInput[];
  readonly customer?: BuyerInput | null;
  readonly description?: string | null;
  /** The affiliate's id, or the value in the affiliate's links. */
  readonly affiliate?: number | string | null;
  readonly coupon?: string | null;
  readonly visit_id?: number | null;
  /** When the order was placed (epoch milliseconds), for sources that report it later; default: now, also for a later time. */
  readonly ordered_at?: number;
  /** Entered by staff, so the cookie of the request is not the buyer's. */
  readonly created_by_staff?: boolean;
  readonly upgrade_of?: string | null;
  /**
   * `parent_id` is the referral that a renewal belongs to, when the source knows it better than by the
   * subscription's id.
   */
  readonly subscription?: {
    readonly id: string;
    readonly phase?: 'first' | 'renewal';
    readonly parent_id?: number;
    /** Such as `month` and the name of the plan, for reward rules. */
    readonly interval?: string;
    readonly plan?: string;
  } | null;
  /** The commission itself, from a trusted source that has computed it. */
  readonly commission?: MoneyInput | null;
  readonly rules?: readonly RateRule[];
  readonly site_id?: string | null;
  /** Stored in the referral's settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The source's own order, which filters receive. */
  readonly vendor_order?: unknown;
}

/** What names a lead: its reference is unique for its provider and kind. */
export interface LeadKey {
  /** The source's name, e.g. `shop`. */
  readonly provider: string;
  /** The id of the sign-up, form or trial; an order may have the same one. */
  readonly reference: string | number;
  /** `signup`, `form`, `trial`, or another short word in lower case. */
  readonly kind: string;
  /** The shop within the provider, when there are several. */
  readonly account?: string;
}

export interface LeadInput extends LeadKey {
  /** Needs one of `email`, `user_id` and `ref`. */
  readonly customer: BuyerInput;
  /** The affiliate's id, or the value in the affiliate's links. */
  readonly affiliate?: number | string | null;
  readonly coupon?: string | null;
  readonly visit_id?: number | null;
  /** Default: the kind. */
  readonly description?: string | null;
  /** Binds the customer now, and earns once `qualify` is called or the customer pays for the first time. */
  readonly defer?: boolean;
  /** When it happened (epoch milliseconds), for sources that report it later; default: now. */
  readonly happened_at?: number;
  readonly site_id?: string | null;
  /** Stored in the referral's settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A goal that an affiliate reached: the rule that rewards it, and the numbers that reached it. */
export interface Bonus {
  readonly set_id: number;
  readonly rule: string;
  readonly facts: Facts;
}

/** What `bonus` needs besides: `window` names the time the goal was reached in, which pays once. */
export interface BonusInput extends Bonus {
  readonly affiliate: number;
  readonly window: string;
  readonly title: string;
  /** Stored in the commission's settings. */
  readonly goal: Readonly<Record<string, unknown>>;
}

/** A conversion as it is recorded; `lead` is the kind of a lead. */
export type ReportedInput = ConversionInput & { readonly lead?: string; readonly bonus?: Bonus };

/** Input of `POST /reward-rules/try`; the rules are given, those of a set, or those that count now. */
export interface RulesTried {
  readonly affiliate_id: number;
  readonly campaign?: string | undefined;
  readonly order: Omit<ConversionInput, 'provider'> & { readonly provider?: string };
  readonly set_id?: number | undefined;
  readonly rules?: unknown;
}

/** What an order would earn, with amounts as decimal numbers of `currency`. */
export interface TriedRules {
  readonly amount: number;
  readonly currency: string;
  readonly base: number;
  readonly rules: RulesDto;
}

/** The key of a recorded order; only its reference when the provider has one shop and whole orders. */
export type OrderKey =
  | string
  | number
  | {
      readonly reference?: string | number | null;
      readonly sub_reference?: string | null;
      readonly account?: string;
    };

/** The order as it is now. Omitted fields do not change. */
export interface UpdateInput {
  /** All of the order, in the currency it was recorded in; with its `items`. */
  readonly order?: OrderInput;
  readonly items?: readonly ItemInput[];
  /** Counts until the order is paid: then the buyer is checked again. */
  readonly customer?: BuyerInput | null;
  /** With its `order`. Until the order is paid, it is credited to the owner of this coupon. */
  readonly coupon?: string | null;
}

export interface PaidInput {
  /** All money received so far; default: the whole order. */
  readonly paid?: MoneyInput;
}

export interface RefundInput {
  /** The gross sum of all refunds so far. A repeat, or a lower sum than before, changes nothing. */
  readonly refunded_total?: MoneyInput;
  /** The sum of all refunds so far as part of the commission base, when the source knows it. */
  readonly refunded_base?: MoneyInput;
  /** The gross amount of this refund alone, with `refund_id`; `items` may list the returned items instead. */
  readonly amount?: MoneyInput;
  /** The returned items, by the ids they were recorded with; amounts without tax, and their tax. */
  readonly items?: readonly {
    readonly id: string | number;
    readonly subtotal: MoneyInput;
    readonly tax?: MoneyInput;
  }[];
  readonly shipping?: MoneyInput;
  readonly shipping_tax?: MoneyInput;
  readonly fees?: MoneyInput;
  /**
   * ISO 4217; default: the order's currency. Another currency is converted at the host's exchange rate;
   * without a rate the commission waits for a person.
   */
  readonly currency?: string;
  /**
   * A refund was canceled: the one with this id or, without an id, enough of them that `refunded_total` is
   * lower.
   */
  readonly undone?: boolean;
  /** The source's id of this refund; a refund reported again counts once. */
  readonly refund_id?: string;
}

/** A referral with decimal amounts in addition to the stored ones. */
export interface ConvertedReferral extends Referral {
  readonly amount: number;
  readonly order_total: number | null;
}

export interface ConversionResult {
  readonly referral: ConvertedReferral | null;
  readonly created: boolean;
  readonly reason: SkipReason | null;
}

export interface ChangeResult {
  readonly referral: ConvertedReferral | null;
  readonly changed: boolean;
  readonly reason: UnchangedReason | null;
}

/** The value of an order; tax on fees never earns anything (docs/integrations.md §2, §6). */
export interface Totals extends Omit<ProviderTotals, 'fees_tax'> {
  /** The money received, when it is more than the order costs now. */
  readonly received?: Minor;
}

export interface Item {
  readonly id: string;
  readonly title: string;
  readonly category_ids: readonly string[];
  readonly sku: string | null;
  readonly quantity: number;
  readonly net: Minor;
  readonly net_before_discount: Minor;
  readonly tax: Minor;
  readonly commissionable: boolean;
}

/** A checked conversion. */
export interface Conversion {
  readonly provider: string;
  readonly reference: string | null;
  readonly sub_reference: string | null;
  readonly account: string;
  readonly type: ReferralType;
  readonly status: 'pending' | 'unpaid';
  readonly currency: string;
  readonly country: string | null;
  readonly totals: Totals | null;
  /** The source reports how much money it has received. */
  readonly is_paid_told: boolean;
  readonly items: readonly Item[];
  readonly customer: {
    readonly email: string | null;
    readonly user_id: number | null;
    readonly first_name: string | null;
    readonly last_name: string | null;
    readonly ip: string | null;
    readonly payment_fingerprint: string | null;
    readonly ref: string | null;
  };
  readonly description: string | null;
  readonly affiliate: number | string | null;
  readonly coupon: string | null;
  readonly coupon_counts: boolean;
  readonly visit_id: number | null;
  readonly created_by_staff: boolean;
  readonly upgrade: boolean;
  readonly subscription: {
    readonly id: string;
    readonly phase: 'first' | 'renewal';
    readonly parent_id: number | null;
    readonly interval: string | null;
    readonly plan: string | null;
  } | null;
  readonly commission: Minor | null;
  readonly rules: readonly RateRule[];
  readonly site_id: string | null;
  readonly ordered_at: number | null;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The kind of a lead; null for an order. */
  readonly lead: string | null;
  /** Null unless a goal was reached. */
  readonly bonus: Bonus | null;
}

export interface CouponBound {
  /** The affiliate that the code belonged to before; null when it was not bound. */
  readonly moved_from: number | null;
  /** Other shops in which the same code credits the same affiliate. */
  readonly also_in: readonly string[];
}
