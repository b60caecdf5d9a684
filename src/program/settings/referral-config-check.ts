import type { Needs } from './needs.js';
import type { SettingsContributions } from './contributions.js';
import { isCurrency } from '../../core/money.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import { FieldCheck } from '../../errors.js';
import { configDefaults, mergeConfig } from './referral-config.js';

type Values = Readonly<Record<string, unknown>>;
/** The value to store, or the rule that failed and its text. */
type Rule = (
  value: unknown,
  context: Context,
) => { readonly value: unknown } | readonly [rule: string, text: string];
interface Context {
  readonly formats: readonly string[];
  readonly providers: ReadonlySet<string>;
  pageExists(id: number): Promise<boolean>;
}

// beyond the money range anyway; the percentage bound is checked on the merged pair
const MAX_FLAT_E4 = 999_999_999_999_990_000;
const PERCENT_E4 = 1_000_000;

const accept = (value: unknown): { value: unknown } => ({ value });
const words =
  (...known: readonly string[]): Rule =>
  (value) =>
    known.includes(String(value)) ? accept(String(value)) : ['in', `Choose one of: ${known.join(', ')}.`];
const commissionType: Rule = (value) =>
  words('percentage', 'fixed')(value === 'flat' ? 'fixed' : value, {} as Context);
const flag: Rule = (value) => {
  if (['yes', 'true', '1'].includes(String(value))) return accept('yes');
  return ['no', 'false', '0'].includes(String(value)) ? accept('no') : ['in', 'Use yes or no.'];
};
const rate: Rule = (value) => {
  const e4 = parseRate(value as string | number);
  return e4 === null || e4 > MAX_FLAT_E4
    ? ['numeric', 'Use a number of 0 or more with at most four decimals.']
    : accept(rateToWire(e4));
};
const whole =
  (min: number, max: number): Rule =>
  (value) => {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (!Number.isSafeInteger(number)) return ['numeric', 'Use a whole number.'];
    if (number < min) return ['min', `Use ${min} or more.`];
    return number > max ? ['max', `Use at most ${max}.`] : accept(number);
  };
const blankOr =
  (rule: Rule): Rule =>
  (value, context) =>
    value === '' || value === null || Number(value) === 0 ? accept('') : rule(value, context);

// Product ids of shops: numbers or short texts; a form sends a single one as itself.
const idTexts: Rule = (value) => {
  const list = ([] as unknown[]).concat(value === '' || value === null ? [] : value);
  const usable =
    list.length <= 1000 &&
    list.every(
      (id) =>
        (typeof id === 'string' || typeof id === 'number') &&
        String(id).trim() !== '' &&
        String(id).length <= 191,
    );
  return usable ? accept([...new Set(list.map((id) => String(id).trim()))]) : ['array', 'Use a list of ids.'];
};

const RULES: Readonly<Record<string, Rule>> = {
  referral_variable: (value) => {
    const name = String(value)
      .replaceAll(/[^A-Za-z_-]/g, '')
      .replaceAll(/-{2,}/g, '-')
      .replaceAll(/_{2,}/g, '_');
    if (name === '') return ['required', 'Use letters, - or _.'];
    return name.length > 50 ? ['max', 'Use at most 50 characters.'] : accept(name);
  },
  rate_type: commissionType,
  rate,
  cookie_duration: whole(1, 3650),
  referral_format: (value, { formats }) => words(...formats)(value, {} as Context),
  payout_method: words('paypal', 'bank_transfer'),
  number_format: words('comma_separated', 'dot_separated'),
  currency: (value) =>
    isCurrency(String(value).toUpperCase())
      ? accept(String(value).toUpperCase())
      : ['in', 'Use a currency code of ISO 4217.'],
  currency_symbol_position: words('left', 'right'),
  credit_last_referrer: flag,
  exclude_shipping: flag,
  exclude_tax: flag,
  exclude_discount: flag,
  self_referral_disabled: flag,
  dashboard_page_id: blankOr(whole(1, Number.MAX_SAFE_INTEGER)),
  enabled_integrations: (value, { providers }) =>
    accept(
      [...new Set(([] as unknown[]).concat(value ?? []).map(String))].filter((key) => providers.has(key)),
    ),
  enable_subscription_renewal: flag,
  renewal_rate_type: commissionType,
  renewal_rate: rate,
  max_renewal_count: whole(0, 1_000_000),
  enable_lifetime_commission: flag,
  lifetime_rate_type: commissionType,
  lifetime_rate: rate,
  lifetime_expiry_days: blankOr(whole(1, 36_500)),
  hold_days: whole(0, 365),
  renewal_max_months: (value, context) =>
    value === '' || value === null ? accept('') : whole(0, 1200)(value, context),
  excluded_products: idTexts,
  excluded_categories: idTexts,
  rate_rules: words('first', 'best'),
  commission_cap_amount: whole(0, 1_000_000_000),
  commission_cap_days: whole(0, 36_500),
};

/**
 * The submitted keys that may be saved, each checked and in its stored form (docs/settings.md §6);
 * 422 with every failing field.
 */
export async function checkConfig(
  app: Needs,
  contributions: SettingsContributions,
  { input, previous }: { readonly input: Values; readonly previous: Values },
): Promise<Values> {
  const known = await mergeConfig(app, {});
  const context = await contextOf(app, contributions, input);
  const check = new FieldCheck();
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known, key)) continue;
    const result = (RULES[key] ?? accept)(value, context);
    if (Array.isArray(result)) check.add(key, result[0], result[1]);
    else changes[key] = (result as { value: unknown }).value;
  }
  checkPercentages({ ...configDefaults(app.options.currency), ...previous, ...changes }, check);
  const page = Number(changes['dashboard_page_id'] || 0);
  if (page > 0 && !(await context.pageExists(page)))
    check.add('dashboard_page_id', 'exists', 'No such page.');
  check.throwIfAny();
  return changes;
}

// The pair counts, whichever of the two was sent.
function checkPercentages(merged: Values, check: FieldCheck): void {
  for (const prefix of ['', 'renewal_', 'lifetime_']) {
    const e4 = parseRate(merged[`${prefix}rate`] as number) ?? 0;
    if (merged[`${prefix}rate_type`] === 'percentage' && e4 > PERCENT_E4)
      check.add(`${prefix}rate`, 'max', 'A percentage is at most 100.');
  }
}

async function contextOf(app: Needs, contributions: SettingsContributions, input: Values): Promise<Context> {
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
