import { RHYTHMS } from '../../core/payout-day.js';
import { parseRate } from '../../core/rate.js';
import type { Deps } from './deps.js';
import type { ReferralConfigDto } from './schemas.js';
import type { ReferralConfig } from './types.js';

/** Name of the option row. */
export const REFERRAL_CONFIG = 'referral_config';

/** The configuration a program starts with; its keys are those that can be saved. */
export const configDefaults = (currency: string): ReferralConfigDto => ({
  referral_variable: 'ref',
  rate_type: 'percentage',
  rate: 20,
  cookie_duration: 30,
  referral_format: 'id',
  payout_method: 'paypal',
  number_format: 'comma_separated',
  currency,
  currency_symbol_position: 'left',
  credit_last_referrer: 'yes',
  exclude_shipping: 'yes',
  exclude_tax: 'yes',
  exclude_discount: 'yes',
  self_referral_disabled: 'yes',
  dashboard_page_id: '',
  enabled_integrations: [],
  enable_subscription_renewal: 'no',
  renewal_rate_type: 'percentage',
  renewal_rate: 0,
  max_renewal_count: 0,
  enable_lifetime_commission: 'no',
  lifetime_rate_type: 'percentage',
  lifetime_rate: 0,
  lifetime_expiry_days: '',
  hold_days: 0,
  renewal_max_months: '',
  excluded_products: [],
  excluded_categories: [],
  rate_rules: 'first',
  commission_cap_amount: 0,
  commission_cap_days: 0,
  lead_amount: 0,
  payout_rhythm: 'none',
  payout_day: 1,
  ask_invoice_details: 'no',
  show_products: 'yes',
});

/** Stored values over the defaults, with the keys that extensions added. */
export async function mergeConfig(app: Deps, stored: Partial<ReferralConfigDto>): Promise<ReferralConfigDto> {
  const defaults = await app.hooks.applyFilters(
    'default_referral_settings',
    configDefaults(app.options.currency),
  );
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(stored).filter(([key]) => Object.hasOwn(defaults, key))),
  };
}

/** The key of the stored configuration with earlier link variables; it is not in answers. */
const FORMER = 'former_variables';
const FORMER_MAX = 20;

/** The earlier link variables, the newest first. */
export function formerVariablesOf(stored: Readonly<Record<string, unknown>>, own: string): readonly string[] {
  const former = stored[FORMER];
  return Array.isArray(former) ? former.map(String).filter((name) => name !== own) : [];
}

/** The stored values after a change. A link variable that is replaced goes on crediting. */
export function withFormerVariable(
  previous: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const old = String(previous['referral_variable'] ?? configDefaults('').referral_variable);
  const own = String(changes['referral_variable'] ?? old);
  const next = { ...previous, ...changes };
  if (own === old) return next;
  const former = [old, ...formerVariablesOf(previous, old)].filter((name) => name !== own);
  return { ...next, [FORMER]: former.slice(0, FORMER_MAX) };
}

/**
 * The typed configuration that the services use; a value that a filter made unusable falls back to its
 * default.
 */
export function readConfig(values: Readonly<Record<string, unknown>>, currency: string): ReferralConfig {
  const defaults: Readonly<Record<string, unknown>> = configDefaults(currency);
  const all = { ...defaults, ...values };
  const rate = (key: string): number =>
    parseRate(all[key] as string | number) ?? parseRate(defaults[key] as number) ?? 0;
  const whole = (key: string): number => (Number.isSafeInteger(Number(all[key])) ? Number(all[key]) : 0);
  const wholeOrBlank = (key: string): number | '' => whole(key) || '';
  const flag = (key: string): 'yes' | 'no' =>
    all[key] === 'no' ? 'no' : all[key] === 'yes' ? 'yes' : (defaults[key] as 'yes' | 'no');
  const word = <const T extends string>(key: string, ...known: readonly T[]): T =>
    known.find((value) => value === all[key]) ?? known[0]!;
  const texts = (key: string): string[] =>
    Array.isArray(all[key]) ? (all[key] as unknown[]).map(String) : [];
  return {
    referral_variable: String(all['referral_variable'] || 'ref'),
    referral_format: String(all['referral_format']),
    rate_type: word('rate_type', 'percentage', 'fixed'),
    rate_e4: rate('rate'),
    cookie_duration: Math.max(1, whole('cookie_duration')),
    credit_last_referrer: flag('credit_last_referrer'),
    exclude_shipping: flag('exclude_shipping'),
    exclude_tax: flag('exclude_tax'),
    exclude_discount: flag('exclude_discount'),
    self_referral_disabled: flag('self_referral_disabled'),
    payout_method: word('payout_method', 'paypal', 'bank_transfer'),
    currency: String(all['currency']).toUpperCase(),
    currency_symbol_position: word('currency_symbol_position', 'left', 'right'),
    number_format: word('number_format', 'comma_separated', 'dot_separated'),
    dashboard_page_id: wholeOrBlank('dashboard_page_id'),
    enabled_integrations: Array.isArray(all['enabled_integrations'])
      ? all['enabled_integrations'].map(String)
      : [],
    enable_subscription_renewal: flag('enable_subscription_renewal'),
    renewal_rate_type: word('renewal_rate_type', 'percentage', 'fixed'),
    renewal_rate_e4: rate('renewal_rate'),
    max_renewal_count: whole('max_renewal_count'),
    enable_lifetime_commission: flag('enable_lifetime_commission'),
    lifetime_rate_type: word('lifetime_rate_type', 'percentage', 'fixed'),
    lifetime_rate_e4: rate('lifetime_rate'),
    lifetime_expiry_days: wholeOrBlank('lifetime_expiry_days'),
    hold_days: Math.max(0, whole('hold_days')),
    renewal_max_months: all['renewal_max_months'] === '' ? '' : Math.max(0, whole('renewal_max_months')),
    excluded_products: texts('excluded_products'),
    excluded_categories: texts('excluded_categories'),
    rate_rules: word('rate_rules', 'first', 'best'),
    commission_cap_amount: Math.max(0, whole('commission_cap_amount')),
    commission_cap_days: Math.max(0, whole('commission_cap_days')),
    lead_amount_e4: rate('lead_amount'),
    payout_rhythm: word('payout_rhythm', ...RHYTHMS),
    payout_day: Math.max(1, whole('payout_day')),
    ask_invoice_details: flag('ask_invoice_details'),
    show_products: flag('show_products'),
  };
}
