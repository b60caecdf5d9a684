import type { CommerceProvider, SettingField } from '../../../adapters/commerce.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import { FieldCheck } from '../../errors.js';
import { isYes } from '../../core/yes-no.js';
import type { Flag, RateRow, ProviderConfig } from './types.js';

const ROWS_MAX = 500;
const IDS_MAX = 1000;
const ID_MAX = 191;
const PERCENT_E4 = 1_000_000;

export const OPTION_END = '_connector_config';

/** The name of the option that stores a provider's settings. */
export const configOption = (key: string): string => `_${key}${OPTION_END}`;

/** The integration whose settings are stored in this option. */
export const keyOfOption = (name: string): string => name.slice(1, -OPTION_END.length);

export const asFlag = (value: unknown): Flag => (isYes(value) ? 'yes' : 'no');

/** The fields of a provider: those that its abilities bring, and its own (docs/integrations.md §3). */
export function fieldsOf({
  abilities = new Set(),
  extraFields = {},
}: CommerceProvider): Readonly<Record<string, SettingField>> {
  const parts = { has_products: abilities.has('products'), has_categories: abilities.has('categories') };
  const rated = parts.has_products || parts.has_categories;
  const tables = (prefix: '' | 'renewal_', label: string): Record<string, SettingField> => ({
    [`${prefix}custom_rate_component`]: {
      type: 'custom_rate_component',
      main_label: label,
      ...parts,
      rate_key: `${prefix}custom_affiliate_rate`,
      rates_key: `${prefix}custom_affiliate_rates`,
      ...(prefix === '' ? {} : { shown_when: ['enable_subscription_renewal', 'yes'] as const }),
    },
  });
  return {
    ...(rated && tables('', 'Own rates for products or categories')),
    ...(abilities.has('coupons') && {
      affiliate_on_discount_product: box('Credit the affiliate a coupon is bound to', 'no'),
    }),
    ...(abilities.has('upgrades') && { disable_on_upgrades: box('No commission for upgrades', 'yes') }),
    ...(abilities.has('renewals') && {
      enable_subscription_renewal: box('Commission for subscription renewals', 'no'),
      ...(rated && tables('renewal_', 'Own renewal rates')),
    }),
    ...extraFields,
  };
}

const box = (label: string, initial: Flag): SettingField => ({
  type: 'inline_checkbox',
  checkbox_label: label,
  default: initial,
});

/** The fields in the form of the settings screen. */
export function dtoFields(provider: CommerceProvider): Record<string, Readonly<Record<string, unknown>>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(provider)).map(([key, field]) => [
      key,
      field.type === 'inline_checkbox'
        ? { true_value: 'yes', false_value: 'no', ...field }
        : {
            rate_key: 'custom_affiliate_rate',
            rates_key: 'custom_affiliate_rates',
            product_label: 'Products',
            ...field,
          },
    ]),
  );
}

interface Keys {
  readonly flags: ReadonlyMap<string, Flag>;
  readonly tables: readonly { readonly flag: string; readonly rates: string; readonly prefix: string }[];
}

function keysOf(provider: CommerceProvider): Keys {
  const flags = new Map<string, Flag>([['is_enabled', provider.enabled === true ? 'yes' : 'no']]);
  const tables = [];
  for (const [key, field] of Object.entries(fieldsOf(provider))) {
    if (field.type === 'inline_checkbox') flags.set(key, field.default ?? 'no');
    else {
      const flag = field.rate_key ?? 'custom_affiliate_rate';
      flags.set(flag, 'no');
      tables.push({
        flag,
        rates: field.rates_key ?? 'custom_affiliate_rates',
        prefix: flag.replace(/custom_affiliate_rate$/, ''),
      });
    }
  }
  return { flags, tables };
}

export const rateTables = (provider: CommerceProvider): Keys['tables'] => keysOf(provider).tables;

/** The stored values, with defaults; keys the provider does not have are omitted. */
export function configOf(provider: CommerceProvider, stored: ProviderConfig): Record<string, unknown> {
  const { flags, tables } = keysOf(provider);
  const config: Record<string, unknown> = {};
  for (const [key, initial] of flags) config[key] = stored[key] === undefined ? initial : asFlag(stored[key]);
  for (const { rates } of tables) config[rates] = Array.isArray(stored[rates]) ? stored[rates] : [];
  return { ...config, ...watched(config, tables) };
}

/** The configuration after a request; 422 with every wrong rate. Watched ids are always computed. */
export function changedConfig(
  provider: CommerceProvider,
  stored: ProviderConfig,
  posted: ProviderConfig,
): Record<string, unknown> {
  const check = new FieldCheck();
  const { flags, tables } = keysOf(provider);
  const next = configOf(provider, stored);
  for (const key of flags.keys()) if (posted[key] !== undefined) next[key] = asFlag(posted[key]);
  for (const { rates } of tables)
    if (posted[rates] !== undefined) next[rates] = readRows(check, rates, posted[rates]);
  check.throwIfAny();
  return { ...next, ...watched(next, tables) };
}

function watched(
  config: Readonly<Record<string, unknown>>,
  tables: Keys['tables'],
): Record<string, (string | number)[]> {
  return Object.fromEntries(
    tables.flatMap(({ flag, rates, prefix }) => {
      const rows = config[flag] === 'yes' ? (config[rates] as readonly RateRow[]) : [];
      const ids = (kind: string): (string | number)[] =>
        [
          ...new Set(
            rows.filter((row) => row.object_type === kind).flatMap((row) => row.object_ids.map(String)),
          ),
        ].map(wireId);
      return [
        [`${prefix}watched_product_ids`, ids('product')],
        [`${prefix}watched_cat_ids`, ids('category')],
      ];
    }),
  );
}

/** Ids that are numbers are sent as numbers. */
export const wireId = (id: string): string | number => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : id);

function readRows(check: FieldCheck, field: string, value: unknown): RateRow[] {
  if (!Array.isArray(value) || value.length > ROWS_MAX) {
    check.add(field, 'array', `${field} must be a list of at most ${ROWS_MAX} rates.`);
    return [];
  }
  return value.map((row: unknown, at) =>
    readRow(
      check,
      `${field}.${at}`,
      (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>,
    ),
  );
}

function readRow(check: FieldCheck, field: string, row: Record<string, unknown>): RateRow {
  const type =
    row['object_type'] === 'product' || row['object_type'] === 'category' ? row['object_type'] : null;
  if (type === null) check.add(`${field}.object_type`, 'in', 'The type must be one of: product, category.');
  return {
    object_type: type ?? 'product',
    ...readRate(check, field, row),
    object_ids: readIds(check, field, row['object_ids']),
  };
}

function readRate(
  check: FieldCheck,
  field: string,
  row: Record<string, unknown>,
): Pick<RateRow, 'rate' | 'rate_type'> {
  const rateType = ['fixed', 'flat'].includes(String(row['rate_type'])) ? 'fixed' : 'percentage';
  const e4 = parseRate(typeof row['rate'] === 'number' ? row['rate'] : String(row['rate'] ?? ''));
  if (e4 === null)
    check.add(`${field}.rate`, 'numeric', 'Use a number of 0 or more with at most four decimals.');
  else if (rateType === 'percentage' && e4 > PERCENT_E4)
    check.add(`${field}.rate`, 'max', 'The percentage must be at most 100.');
  return { rate: rateToWire(e4 ?? 0), rate_type: rateType };
}

function readIds(check: FieldCheck, field: string, given: unknown): string[] {
  const ids = ([] as unknown[])
    .concat(given ?? [])
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map((id) => String(id).trim().slice(0, ID_MAX));
  if (ids.every((id) => id === ''))
    check.add(`${field}.object_ids`, 'required', 'Choose at least one product or category for each rate.');
  if (ids.length > IDS_MAX)
    check.add(`${field}.object_ids`, 'max', `The list must have at most ${IDS_MAX} entries.`);
  return [...new Set(ids.filter(Boolean))];
}
