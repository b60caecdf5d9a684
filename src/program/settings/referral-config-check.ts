import { RHYTHMS } from '../../core/payout-day.js';
import type { Deps } from './deps.js';
import type { SettingsContributions } from './contributions.js';
import { variableProblem } from '../../core/link-variable.js';
import { isCurrency } from '../../core/money.js';
import { own } from '../../core/own.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import { FieldCheck } from '../../errors.js';
import { read, refused, whole, word, yesOrNo, type Checked } from '../../records/checked.js';
import { configDefaults, mergeConfig } from './referral-config.js';

type Values = Readonly<Record<string, unknown>>;
type Rule = (value: unknown, context: Context) => Checked;
interface Context {
  readonly formats: readonly string[];
  readonly providers: ReadonlySet<string>;
  pageExists(id: number): Promise<boolean>;
}

// larger than any amount; the limit for percentages is checked on the merged pair
const MAX_FLAT_E4 = 999_999_999_999_990_000;
const PERCENT_E4 = 1_000_000;

export const isLinkVariable = (name: string): boolean => variableProblem(name) === null;

const commissionType: Rule = (value) => word('percentage', 'fixed')(value === 'flat' ? 'fixed' : value);
const rate: Rule = (value) => {
  const e4 = parseRate(value as string | number);
  return e4 === null || e4 > MAX_FLAT_E4
    ? refused('numeric', 'Use a number of 0 or more with at most four decimals.')
    : read(rateToWire(e4));
};
const blankOr =
  (rule: Rule): Rule =>
  (value, context) =>
    value === '' || value === null || Number(value) === 0 ? read('') : rule(value, context);

// Product ids of shops: numbers or short texts. A form sends a single one without a list.
const idTexts: Rule = (value) => {
  const list = ([] as unknown[]).concat(value === '' || value === null ? [] : value);
  const usable =
    list.length <= 1000 &&
    list.every(
      (id) =>
        (typeof id === 'string' || typeof id === 'number') &&
        /^[^,;]*[^,;\s][^,;]*$/.test(String(id)) &&
        String(id).length <= 191,
    );
  return usable
    ? read([...new Set(list.map((id) => String(id).trim()))])
    : refused('array', 'Use a list of ids, each as an entry of its own.');
};

const RULES: Readonly<Record<string, Rule>> = {
  referral_variable: (value) => {
    const name = String(value).trim();
    const problem = variableProblem(name);
    return problem === null ? read(name) : refused(problem.rule, problem.says);
  },
  rate_type: commissionType,
  rate,
  cookie_duration: whole(1, 3650),
  referral_format: (value, { formats }) => word(...formats)(value),
  payout_method: word('paypal', 'bank_transfer'),
  number_format: word('comma_separated', 'dot_separated'),
  currency: (value) =>
    isCurrency(String(value).toUpperCase())
      ? read(String(value).toUpperCase())
      : refused('in', 'Use a currency code of ISO 4217.'),
  currency_symbol_position: word('left', 'right'),
  credit_last_referrer: yesOrNo,
  exclude_shipping: yesOrNo,
  exclude_tax: yesOrNo,
  exclude_discount: yesOrNo,
  self_referral_disabled: yesOrNo,
  dashboard_page_id: blankOr(whole(1, Number.MAX_SAFE_INTEGER)),
  enabled_integrations: (value, { providers }) =>
    read([...new Set(([] as unknown[]).concat(value ?? []).map(String))].filter((key) => providers.has(key))),
  enable_subscription_renewal: yesOrNo,
  renewal_rate_type: commissionType,
  renewal_rate: rate,
  max_renewal_count: whole(0, 1_000_000),
  enable_lifetime_commission: yesOrNo,
  lifetime_rate_type: commissionType,
  lifetime_rate: rate,
  lifetime_expiry_days: blankOr(whole(1, 36_500)),
  hold_days: whole(0, 365),
  renewal_max_months: (value) => (value === '' || value === null ? read('') : whole(0, 1200)(value)),
  excluded_products: idTexts,
  excluded_categories: idTexts,
  rate_rules: word('first', 'best'),
  commission_cap_amount: whole(0, 1_000_000_000),
  commission_cap_days: whole(0, 36_500),
  lead_amount: rate,
  payout_rhythm: word(...RHYTHMS),
  payout_day: whole(1, 28),
  ask_invoice_details: yesOrNo,
  show_products: yesOrNo,
};

/**
 * The submitted keys that may be saved, each checked and in its stored form (docs/settings.md §6);
 * 422 with every failing field.
 */
export async function checkConfig(
  app: Deps,
  contributions: SettingsContributions,
  { input, previous }: { readonly input: Values; readonly previous: Values },
): Promise<Values> {
  const known = await mergeConfig(app, {});
  const types = await app.hooks.applyFilters('referral_config_field_types', {});
  const context = await contextOf(app, contributions, input);
  const check = new FieldCheck();
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known, key)) continue;
    // A form sends back what it read, and a stored variable may be older than its rule.
    const isStored = key === 'referral_variable' && value === previous[key];
    const rule = RULES[key] ?? ((given: unknown) => read(readAs(own(types, key), given)));
    const result = isStored ? read(value) : rule(value, context);
    if (result.kind === 'refused') check.add(key, result.rule, result.says);
    else changes[key] = result.value;
  }
  checkPercentages({ ...configDefaults(app.options.currency), ...previous, ...changes }, check);
  const page = Number(changes['dashboard_page_id'] || 0);
  if (page > 0 && !(await context.pageExists(page)))
    check.add('dashboard_page_id', 'exists', 'No such page.');
  check.throwIfAny();
  return changes;
}

/** A value of a key that an extension added. */
function readAs(type: unknown, value: unknown): unknown {
  if (Array.isArray(type)) return type.find((allowed) => String(allowed) === String(value)) ?? type[0];
  if (type === 'text') return String(value ?? '');
  if (type !== 'number' && type !== 'float') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return 0;
  return type === 'number' ? Math.trunc(number) : number;
}

// Type and rate are checked together, whichever of the two was sent.
function checkPercentages(merged: Values, check: FieldCheck): void {
  for (const prefix of ['', 'renewal_', 'lifetime_']) {
    const e4 = parseRate(merged[`${prefix}rate`] as number) ?? 0;
    if (merged[`${prefix}rate_type`] === 'percentage' && e4 > PERCENT_E4)
      check.add(`${prefix}rate`, 'max', 'A percentage is at most 100.');
  }
}

async function contextOf(app: Deps, contributions: SettingsContributions, input: Values): Promise<Context> {
  const formats = 'referral_format' in input ? await contributions.linkForms() : [];
  const pages = app.host.pages;
  return {
    formats: formats.map(({ value }) => value),
    providers: new Set(contributions.providers.keys()),
    pageExists: async (id) => {
      if (!pages) return false;
      if (pages.get) return (await pages.get(id)) !== null;
      return (await pages.list({ search: '', limit: 1000 })).some((page) => page.id === id);
    },
  };
}
