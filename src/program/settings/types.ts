import type { Rhythm } from '../../core/payout-day.js';

export type Flag = 'yes' | 'no';

/**
 * Rules about money that a program manager decides. The option of the same name is the default; the option
 * `locked` fixes it.
 */
export const RULE_NAMES = [
  'clawback',
  'refundFlat',
  'stalePendingDays',
  'minPayout',
  'approvalAbove',
  'requirePaymentDetails',
  'fraud',
] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/**
 * The configuration of the referral program (docs/settings.md §6), with defaults filled in. Rates are × 10
 * 000.
 */
export interface ReferralConfig {
  readonly referral_variable: string;
  readonly referral_format: string;
  readonly rate_type: 'percentage' | 'fixed';
  readonly rate_e4: number;
  readonly cookie_duration: number;
  readonly credit_last_referrer: Flag;
  readonly exclude_shipping: Flag;
  readonly exclude_tax: Flag;
  readonly exclude_discount: Flag;
  readonly self_referral_disabled: Flag;
  readonly payout_method: 'paypal' | 'bank_transfer';
  readonly currency: string;
  readonly currency_symbol_position: 'left' | 'right';
  readonly number_format: 'comma_separated' | 'dot_separated';
  readonly dashboard_page_id: number | '';
  readonly enabled_integrations: readonly string[];
  readonly enable_subscription_renewal: Flag;
  readonly renewal_rate_type: 'percentage' | 'fixed';
  readonly renewal_rate_e4: number;
  readonly max_renewal_count: number;
  readonly enable_lifetime_commission: Flag;
  readonly lifetime_rate_type: 'percentage' | 'fixed';
  readonly lifetime_rate_e4: number;
  readonly lifetime_expiry_days: number | '';
  /** Days a commission waits before it can be paid out. */
  readonly hold_days: number;
  /** '' = no limit, 0 = the first sale only. */
  readonly renewal_max_months: number | '';
  readonly excluded_products: readonly string[];
  readonly excluded_categories: readonly string[];
  /** Which one applies when several product rules match. */
  readonly rate_rules: 'first' | 'best';
  /** The most an affiliate earns from one customer, in whole currency units; 0 = no limit. */
  readonly commission_cap_amount: number;
  /** The days over which that limit counts; 0 = for ever. */
  readonly commission_cap_days: number;
  /** What a lead earns, × 10 000; 0 = nothing. */
  readonly lead_amount_e4: number;
  /** When payouts are made, as affiliates are told; the payouts themselves are started by a person. */
  readonly payout_rhythm: Rhythm;
  /** The weekday from Monday as 1, or the day of the month. */
  readonly payout_day: number;
  /** Affiliates are asked for what their invoices need. */
  readonly ask_invoice_details: Flag;
  /** Affiliates see the products of the orders that they earned on. */
  readonly show_products: Flag;
}

/** How links of an imported system look; its values are in the table of aliases. */
export interface ImportedLinks {
  /** Slug of the source, such as `slicewp`. */
  readonly source: string;
  /** Names of the link variable. */
  readonly variables: readonly string[];
  readonly cookies: readonly ImportedCookie[];
}

/** What connected sites leave in links to this site, and in visitors' browsers. */
export interface SiteMarks {
  /** Their link variables. */
  readonly variables: readonly string[];
  /** Names of their cookies. */
  readonly cookies: readonly string[];
}

/** A cookie of an imported system that names the affiliate. */
export interface ImportedCookie {
  readonly name: string;
  /** Ends the part of the value that names the affiliate. */
  readonly separator?: string;
  /** The value is JSON or serialized PHP; the member of this name has the affiliate's id. */
  readonly member?: string;
  /** The value is the id of a visit instead. */
  readonly isVisit?: boolean;
}

/** The keys that decide how much a new order earns. */
export const RATE_KEYS = [
  'rate_type',
  'rate',
  'enable_subscription_renewal',
  'renewal_rate_type',
  'renewal_rate',
  'max_renewal_count',
  'renewal_max_months',
  'enable_lifetime_commission',
  'lifetime_rate_type',
  'lifetime_rate',
  'lifetime_expiry_days',
  'hold_days',
  'exclude_shipping',
  'exclude_tax',
  'exclude_discount',
  'excluded_products',
  'excluded_categories',
  'rate_rules',
  'commission_cap_amount',
  'commission_cap_days',
  'lead_amount',
  'currency',
] as const;
