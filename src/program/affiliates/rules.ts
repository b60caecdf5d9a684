import { parseRate } from '../../core/rate.js';
import { LINES } from '../../core/text.js';
import { nullable, rate, string, wireIdOf } from '../../core/dto-schema.js';
import type { FieldCheck } from '../../errors.js';
import { readId } from '../../core/id.js';
import { isMissing, isScalar, readText, type Entry, type FieldInput } from '../../records/form.js';
import type { RateType } from './words.js';

// Rules of an affiliate's own fields (docs/interface.md §6.3, §6.4), beside those of records/form.ts.

const FULL_PERCENTAGE = 1_000_000;
const BANK_MAX = 5000;

/** Words that look like the site itself, or like a missing value. */
const RESERVED_PARAMS = new Set([
  'admin',
  'administrator',
  'affiliate',
  'affiliates',
  'anonymous',
  'false',
  'nan',
  'none',
  'null',
  'official',
  'root',
  'support',
  'system',
  'true',
  'undefined',
]);

/** × 10 000; null where none was sent. */
export const rateEntry: Entry<number | null> = {
  schema: rate,
  hint: '≥ 0 with up to four decimals. Required for `flat` and `percentage` (≤ 100), ignored otherwise.',
  read({ check, name, value }) {
    if (isMissing(value)) return null;
    const parsed = isScalar(value) ? parseRate(value) : null;
    if (parsed !== null) return parsed;
    const number = isScalar(value) && String(value).trim() !== '' ? Number(value) : Number.NaN;
    if (number < 0) check.add(name, 'min', 'The rate must be 0 or more.');
    else if (number >= 1e11) check.add(name, 'max', 'The rate is too large.');
    else check.add(name, 'numeric', 'The rate must be a number with at most four decimals.');
    return null;
  },
};

/**
 * The affiliate's own rate for the new rate type; the stored one when none is sent. Null when the type has no
 * own rate.
 */
export function rateOf(field: FieldInput, rateType: RateType, stored: number | null): number | null {
  if (rateType !== 'percentage' && rateType !== 'flat') return null;
  const { check, name, value } = field;
  const given = isMissing(value) ? stored : rateEntry.read(field);
  if (given === null && isMissing(value))
    check.add(name, 'required_if', 'The rate is required for this rate type.');
  if (given !== null && rateType === 'percentage' && given > FULL_PERCENTAGE)
    check.add(name, 'max', 'The percentage must be at most 100.');
  return given;
}

export function readBankDetails(check: FieldCheck, value: unknown, required: boolean): string {
  return readText({ check, name: 'bank_details', value, required, currency: '' }, BANK_MAX, LINES);
}

/**
 * The value of an affiliate's links in lower case; null for none. The database decides whether it is free.
 */
export const linkName: Entry<string | null> = {
  schema: nullable(string),
  hint:
    'Unique custom name used in links instead of the ID: 2 to 100 of a-z, 0-9, - and _, not only digits. ' +
    '`null` or "" for none. Earlier names still credit the affiliate.',
  read({ check, name, value }) {
    if (isMissing(value)) return null;
    const param = isScalar(value) ? String(value).trim().toLowerCase() : '';
    if (!/^[a-z0-9_-]{2,100}$/.test(param))
      check.add(name, 'format', 'Use 2 to 100 letters without accents, digits, - and _ for the link name.');
    else if (/^\d+$/.test(param))
      check.add(name, 'format', 'The link name must contain a letter. Numbers are the IDs of affiliates.');
    else if (RESERVED_PARAMS.has(param)) check.add(name, 'taken', 'This link name cannot be used.');
    return param;
  },
};

/** Can only be set for a new affiliate. */
export const userEntry: Entry<number | null> = {
  schema: wireIdOf,
  hint: "ID of a host user who isn't an affiliate yet",
  read({ check, name, value }) {
    const id = readId(value);
    if (isMissing(value)) check.add(name, 'required', 'The user is required.');
    else if (id === null) check.add(name, 'numeric', 'The user must be an ID.');
    return id;
  },
};
