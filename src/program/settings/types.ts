import type { ImportedCookie } from '../../../adapters/imports.js';
import type { CONFIG_FIELDS, RateField } from './record.js';

export type Flag = 'yes' | 'no';

type Fields = typeof CONFIG_FIELDS;

/** The configuration with defaults filled in (docs/settings.md §6). Rates are × 10 000. */
export type ReferralConfig = {
  readonly [K in keyof Fields as Fields[K] extends RateField ? `${K}_e4` : K]: ReturnType<Fields[K]['read']>;
};

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
