import type { ExtensionField } from '../../core/extension-parts.js';
import { fieldNameFirst } from '../../core/field-name.js';
import { parseRate, rateToWire } from '../../core/rate.js';
import { cut, LINE, LINES, nameKey, plainLines } from '../../core/text.js';
import { own } from '../../core/own.js';
import { AffiliateError, FieldCheck } from '../../errors.js';
import { readExtensionFields } from '../../records/extension-fields.js';
import { GROUP_DEFAULTS, GROUP_STATUSES } from './record.js';
import type { GroupForm, GroupValue } from './types.js';

// The terms of a group are keys of one stored map, not columns. Each has its own blank value and spellings,
// an extension's value is read by the same rules, and further keys are not removed. As fields of a record,
// every key would need an entry of its own, so they are read here, key by key.

const NAME_MAX = 192;
const NOTES_MAX = 5000;
const COUNT_MAX = 1_000_000;
const HOLD_MAX = 365;
const MONTHS_MAX = 1200;
const FULL_PERCENTAGE = 1_000_000;
const MAX_DEPTH = 8;
const RATE_TYPES: Readonly<Record<string, GroupValue['rate_type']>> = {
  percentage: 'percentage',
  flat: 'flat',
  fixed: 'flat',
  default: 'default',
};
const EXTRA_RATE_TYPES: Readonly<Record<string, 'percentage' | 'fixed'>> = {
  percentage: 'percentage',
  fixed: 'fixed',
  flat: 'fixed',
};
const FLAGS: Readonly<Record<string, 'yes' | 'no'>> = {
  yes: 'yes',
  true: 'yes',
  1: 'yes',
  no: 'no',
  false: 'no',
  0: 'no',
  '': 'no',
};

const entryOf = <T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined => {
  const name =
    typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' ? String(key) : null;
  return name === null ? undefined : own(table, name);
};

// Characters are counted as people do: in code points.
const tooLong = (text: string, max: number): boolean => cut(text, max) !== text;

/** The name of a submitted form, cleaned; undefined when an update leaves it alone. */
export function readName(form: GroupForm, required: boolean): string | undefined {
  const check = new FieldCheck();
  const given = form.meta_key;
  if (given === undefined && !required) return undefined;
  const name = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
  if (!LINE.fits(name)) check.add('meta_key', LINE.rule, LINE.says);
  if (name === '') check.add('meta_key', 'required', 'The name is required.');
  // Normalizing can make the key of the name longer, so both lengths are checked.
  if (tooLong(name, NAME_MAX) || tooLong(nameKey(name), NAME_MAX))
    check.add('meta_key', 'max', `The name must have at most ${NAME_MAX} characters.`);
  check.throwIfAny();
  return name;
}

/**
 * Reads the known keys of the value and the fields of extensions from a form; absent keys have the value of
 * `base`. Throws with one entry per wrong field.
 */
export function readValue(
  form: GroupForm,
  base: GroupValue,
  fields: readonly ExtensionField[] = [],
): GroupValue {
  const read = new ValueReader(form, base);
  const rateType = read.choice('rate_type', RATE_TYPES);
  const value = {
    ...base,
    ...readExtensionFields(fields, { form, base, check: read.check }),
    rate_type: rateType,
    rate: rateType === 'default' ? read.ignoredRate('rate') : read.rate('rate', rateType),
    status: read.choice('status', Object.fromEntries(GROUP_STATUSES.map((status) => [status, status]))),
    notes: read.notes(),
    enable_subscription_renewal: read.choice('enable_subscription_renewal', FLAGS),
    ...read.extraRate('renewal_rate_type', 'renewal_rate'),
    max_renewal_count: read.count('max_renewal_count', 0),
    enable_lifetime_commission: read.choice('enable_lifetime_commission', FLAGS),
    ...read.extraRate('lifetime_rate_type', 'lifetime_rate'),
    lifetime_expiry_days: read.count('lifetime_expiry_days', ''),
    hold_days: read.count('hold_days', '', HOLD_MAX),
    renewal_max_months: read.count('renewal_max_months', '', MONTHS_MAX),
  } as GroupValue;
  read.check.throwIfAny();
  return value;
}

/** Reads a form key by key: takes the sent value or that of `base`, and collects what is wrong. */
class ValueReader {
  readonly check = new FieldCheck();

  constructor(
    private readonly form: GroupForm,
    private readonly base: GroupValue,
  ) {}

  choice<K extends keyof GroupValue & string>(
    key: K,
    allowed: Readonly<Record<string, GroupValue[K]>>,
  ): GroupValue[K] {
    const given = this.form[key];
    if (given === undefined || given === null) return this.base[key];
    const value = entryOf(allowed, given);
    if (value === undefined)
      this.check.add(
        key,
        'in',
        `${fieldNameFirst(key)} must be one of: ${[...new Set(Object.values(allowed))].join(', ')}.`,
      );
    return value ?? this.base[key];
  }

  rate(key: 'rate' | 'renewal_rate' | 'lifetime_rate', type: string): number {
    const given = this.form[key] ?? '';
    const value = given === '' ? this.base[key] : given;
    const e4 = typeof value === 'number' || typeof value === 'string' ? parseRate(value) : null;
    if (e4 === null) return this.#badRate(key, value);
    if (type === 'percentage' && e4 > FULL_PERCENTAGE)
      this.check.add(key, 'max', 'The percentage must be at most 100.');
    return rateToWire(e4);
  }

  /** The program's rate applies, so the sent one is neither checked nor stored. */
  ignoredRate(key: 'rate'): number {
    return this.base[key];
  }

  #badRate(key: string, value: unknown): number {
    if (typeof value !== 'object' && Number(value) < 0)
      this.check.add(key, 'min', 'The rate must be 0 or more.');
    else this.check.add(key, 'numeric', 'The rate must be a number with at most four decimals.');
    return 0;
  }

  extraRate(
    typeKey: 'renewal_rate_type' | 'lifetime_rate_type',
    rateKey: 'renewal_rate' | 'lifetime_rate',
  ): Partial<GroupValue> {
    const type = this.choice(typeKey, EXTRA_RATE_TYPES);
    return { [typeKey]: type, [rateKey]: this.rate(rateKey, type) };
  }

  count(
    key: 'max_renewal_count' | 'lifetime_expiry_days' | 'hold_days' | 'renewal_max_months',
    empty: 0 | '',
    max = COUNT_MAX,
  ): number | '' {
    const given = this.form[key];
    if (given === undefined) return this.base[key];
    if (given === null || given === '') return empty;
    const value = numberOf(given);
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    if (value > max) this.check.add(key, 'max', `The number must be at most ${max}.`);
    else if (value < 0) this.check.add(key, 'min', 'The number must be 0 or more.');
    else this.check.add(key, 'numeric', 'The value must be a whole number.');
    return this.base[key];
  }

  notes(): string {
    const given = this.form.notes;
    if (given === undefined) return this.base.notes;
    if (given !== null && typeof given !== 'string' && typeof given !== 'number') {
      this.check.add('notes', 'string', 'The notes must be text.');
      return this.base.notes;
    }
    const notes = LINES.read(String(given ?? ''));
    if (!LINES.fits(notes)) this.check.add('notes', LINES.rule, LINES.says);
    if (tooLong(notes, NOTES_MAX))
      this.check.add('notes', 'max', `The notes must have at most ${NOTES_MAX} characters.`);
    return notes;
  }
}

/**
 * Reads the value as an extension changed it: known keys are checked, others stored as plain, cleaned data.
 * Null when it cannot be used.
 */
export function acceptValue(response: unknown, previous: GroupValue): GroupValue | null {
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return null;
  const cleaned = cleanData(response, 0) as Record<string, unknown>;
  try {
    return readValue(cleaned, { ...cleaned, ...pickKnown(previous) });
  } catch (error) {
    if (error instanceof AffiliateError) return null;
    throw error;
  }
}

const pickKnown = (value: GroupValue): GroupValue =>
  Object.fromEntries(Object.keys(GROUP_DEFAULTS).map((key) => [key, value[key]])) as GroupValue;

/**
 * Returns only plain data: control characters are removed from all texts, functions and prototype keys from
 * all maps.
 */
export function cleanData(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return plainLines(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => cleanData(item, depth + 1));
  const entries = Object.entries(value).filter(
    ([key]) => !['__proto__', 'constructor', 'prototype'].includes(key),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, cleanData(item, depth + 1)]));
}

/** NaN for what is neither a number nor its digits. */
const numberOf = (given: unknown): number =>
  typeof given === 'number' || (typeof given === 'string' && /^\d{1,9}$/.test(given.trim()))
    ? Number(given)
    : Number.NaN;
