import { fieldName, fieldNameFirst } from '../../core/field-name.js';
import { parseRate } from '../../core/rate.js';
import { cleanText, cleanTextarea, cut } from '../../core/text.js';
import type { FieldCheck } from '../../errors.js';
import type { RateType } from './types.js';

// Rules of single fields (docs/interface.md §6.3, §6.4).
// Each notes what is wrong and returns a usable value, so all fields are judged in one go.

const FULL_PERCENTAGE = 1_000_000;
const EMAIL_MAX = 191;
const BANK_MAX = 5000;
const NOTE_MAX = 10_000;
const EMAIL =
  /^[^\s@<>"'(),:;\\[\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}[\p{L}\p{N}-]{2,63}$/u;

/** Words that look like the site itself, or like a value that went missing. */
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

/** Absent, null and "" all mean "not given": forms send null as "". */
export const isMissing = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * The individual rate of the resulting rate type, × 10 000; a stored one serves when none is sent.
 * Null when the type has none.
 */
export function readRate(
  check: FieldCheck,
  rateType: RateType,
  given: unknown,
  stored: number | null,
): number | null {
  if (rateType !== 'percentage' && rateType !== 'flat') return null;
  const rate = isMissing(given) ? stored : parseGivenRate(check, given);
  if (rate === null && isMissing(given))
    check.add('rate', 'required_if', 'A rate is required for this rate type.');
  if (rate !== null && rateType === 'percentage' && rate > FULL_PERCENTAGE)
    check.add('rate', 'max', 'A percentage must not exceed 100.');
  return rate;
}

function parseGivenRate(check: FieldCheck, given: unknown): number | null {
  const rate = isScalar(given) ? parseRate(given) : null;
  if (rate !== null) return rate;
  const number = isScalar(given) && String(given).trim() !== '' ? Number(given) : Number.NaN;
  if (number < 0) check.add('rate', 'min', 'The rate must be 0 or more.');
  else if (number >= 1e11) check.add('rate', 'max', 'The rate is too large.');
  else check.add('rate', 'numeric', 'The rate must be a number with at most four decimals.');
  return null;
}

/** A group id; null for none (0, "" and null). */
export function readGroupId(check: FieldCheck, given: unknown): number | null {
  if (isMissing(given) || given === 0 || given === '0') return null;
  const id = isScalar(given) && /^\d{1,16}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(id) && id > 0) return id;
  check.add('group_id', 'numeric', 'The group must be given by its id.');
  return null;
}

export function readEmail(check: FieldCheck, given: unknown, required: boolean): string | null {
  const email = isScalar(given) ? cleanText(String(given)) : '';
  if (email === '') {
    if (!isMissing(given) && !isScalar(given))
      check.add('payment_email', 'email', 'The payment e-mail is not valid.');
    if (required) {
      check.add('payment_email', 'required', 'A payment e-mail is required.');
      // A field that was sent empty fails both of its rules, one that was not sent only the first.
      if (typeof given === 'string') check.add('payment_email', 'email', 'The payment e-mail is not valid.');
    }
    return null;
  }
  if (email.length > EMAIL_MAX)
    check.add('payment_email', 'max', `The payment e-mail must have at most ${EMAIL_MAX} characters.`);
  else if (!EMAIL.test(email)) check.add('payment_email', 'email', 'The payment e-mail is not valid.');
  return email;
}

export function readBankDetails(check: FieldCheck, given: unknown, required: boolean): string {
  if (!isMissing(given) && !isScalar(given))
    check.add('bank_details', 'string', 'The bank details must be text.');
  const details = isScalar(given) ? cleanTextarea(String(given)) : '';
  if (details === '' && required) check.add('bank_details', 'required', 'Bank details are required.');
  if (cut(details, BANK_MAX) !== details)
    check.add('bank_details', 'max', `The bank details must have at most ${BANK_MAX} characters.`);
  return details;
}

export function readNote(check: FieldCheck, given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (!isScalar(given)) check.add('note', 'string', 'The note must be text.');
  const note = isScalar(given) ? cleanTextarea(String(given)) : '';
  if (cut(note, NOTE_MAX) !== note)
    check.add('note', 'max', `The note must have at most ${NOTE_MAX} characters.`);
  return note;
}

/**
 * The value of an affiliate's links, folded to lower case; null for none.
 * Whether it is free is the database's to say.
 */
export function readCustomParam(check: FieldCheck, given: unknown): string | null {
  if (isMissing(given)) return null;
  const param = isScalar(given) ? String(given).trim().toLowerCase() : '';
  if (!/^[a-z0-9_-]{2,100}$/.test(param))
    check.add(
      'custom_param',
      'format',
      'Use 2 to 100 letters without accents, digits, - and _ for the link name.',
    );
  else if (/^\d+$/.test(param))
    check.add(
      'custom_param',
      'format',
      'The link name needs a letter: digits alone are the ids of affiliates.',
    );
  else if (RESERVED_PARAMS.has(param)) check.add('custom_param', 'taken', 'This link name can not be used.');
  return param;
}

export function readChoice<T extends string>(
  check: FieldCheck,
  field: string,
  given: unknown,
  allowed: readonly T[],
): T {
  const found = allowed.find((value) => value === given);
  if (isMissing(given)) check.add(field, 'required', `Choose ${fieldName(field)}.`);
  else if (found === undefined)
    check.add(field, 'in', `${fieldNameFirst(field)} must be one of: ${allowed.join(', ')}.`);
  return found ?? (allowed[0] as T);
}

/** The user id of a form; 0 when it is none. */
export function readUserId(check: FieldCheck, given: unknown): number {
  const id = isScalar(given) && /^\d{1,16}$/.test(String(given)) ? Number(given) : 0;
  if (isMissing(given)) check.add('user_id', 'required', 'A user is required.');
  else if (id === 0 || !Number.isSafeInteger(id))
    check.add('user_id', 'numeric', 'The user must be given by id.');
  return Number.isSafeInteger(id) ? id : 0;
}
