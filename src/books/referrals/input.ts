import { readDecimal } from '../../core/decimal.js';
import { parseAmount, type Minor } from '../../core/money.js';
import { cleanText, cut } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import {
  MANUAL_STATUSES,
  MANUAL_TYPES,
  type Referral,
  type ReferralInput,
  type ReferralPatch,
  type ReferralStatus,
} from './types.js';

const DESCRIPTION_MAX = 255;
const PROVIDER_MAX = 100;
const PROVIDER_ID_MAX = 255;

export interface CheckedReferral {
  readonly affiliate_id: number;
  readonly amount_minor: Minor;
  readonly status: (typeof MANUAL_STATUSES)[number];
  readonly type: (typeof MANUAL_TYPES)[number];
  readonly description: string | null;
  readonly provider: string;
  readonly provider_id: string | null;
}

export type CheckedPatch = Partial<Pick<Referral, 'amount_minor' | 'status' | 'type' | 'description'>>;

const missing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * The rules of docs/interface.md §7.2, for callers with and without HTTP.
 * `known` says which affiliate ids exist.
 */
export function checkReferral(input: ReferralInput, currency: string, exists: boolean): CheckedReferral {
  const check = new FieldCheck();
  if (missing(input.affiliate_id)) check.add('affiliate_id', 'required', 'Choose an affiliate.');
  else if (!exists) check.add('affiliate_id', 'exists', 'This affiliate does not exist.');
  const checked = {
    affiliate_id: Number(input.affiliate_id),
    amount_minor: readAmount(check, input.amount, currency, true),
    status: readWord(check, 'status', input.status, MANUAL_STATUSES, true),
    type: readWord(check, 'type', input.type, MANUAL_TYPES, true),
    description: readText(check, 'description', input.description, DESCRIPTION_MAX),
    provider: readText(check, 'provider', input.provider, PROVIDER_MAX) ?? 'manual',
    provider_id: readProviderId(check, input.provider_id),
  };
  check.throwIfAny();
  return checked as CheckedReferral;
}

/**
 * The rules of docs/interface.md §7.3; absent and blank fields stay as they are, a blank description clears.
 */
export function checkPatch(input: ReferralPatch, row: Referral, currency: string): CheckedPatch {
  const check = new FieldCheck();
  const manual = (MANUAL_TYPES as readonly string[]).includes(row.type);
  const patch = {
    // Forms send the amount back; that of a balance correction may be below 0.
    amount_minor: repeats(input.amount, row, currency)
      ? row.amount_minor
      : readAmount(check, input.amount, currency, false),
    // A canceled row of an import ends there; the form sends its status back.
    status: readWord<ReferralStatus>(
      check,
      'status',
      input.status,
      row.status === 'cancelled' ? [row.status] : MANUAL_STATUSES,
      false,
    ),
    type: readWord(check, 'type', input.type, manual ? MANUAL_TYPES : [row.type], false),
    description:
      input.description === undefined
        ? undefined
        : readText(check, 'description', input.description, DESCRIPTION_MAX),
  };
  check.throwIfAny();
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

const repeats = (value: unknown, { amount_minor }: Referral, currency: string): boolean =>
  (typeof value === 'string' || typeof value === 'number') && parseAmount(value, currency) === amount_minor;

function readAmount(
  check: FieldCheck,
  value: unknown,
  currency: string,
  required: boolean,
): Minor | undefined {
  if (missing(value)) {
    if (required) check.add('amount', 'required', 'Enter an amount.');
    return undefined;
  }
  const amount = typeof value === 'string' || typeof value === 'number' ? readDecimal(value) : null;
  if (amount === null) check.add('amount', 'numeric', 'The amount must be a number.');
  else if (amount.units < 0n) check.add('amount', 'min', 'The amount must be 0 or more.');
  else {
    const minor = parseAmount(value as string | number, currency);
    if (minor !== null) return minor;
    check.add('amount', 'max', 'The amount is too large.');
  }
  return undefined;
}

function readWord<T extends string>(
  check: FieldCheck,
  field: string,
  value: unknown,
  words: readonly T[],
  required: boolean,
): T | undefined {
  if (missing(value)) {
    if (required) check.add(field, 'required', `Choose a ${field}.`);
    return undefined;
  }
  const word = words.find((each) => each === value);
  if (word === undefined) check.add(field, 'in', `This ${field} can not be chosen.`);
  return word;
}

function readText(check: FieldCheck, field: string, value: unknown, max: number): string | null {
  if (missing(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number') {
    check.add(field, 'string', `The ${field} must be text.`);
    return null;
  }
  const text = cleanText(String(value));
  if (cut(text, max) !== text) check.add(field, 'max', `The ${field} may have ${max} characters.`);
  return text === '' ? null : text;
}

/** The order's own number: any text up to 255 characters; 0 and blank are none. */
function readProviderId(check: FieldCheck, value: unknown): string | null {
  const id = readText(check, 'provider_id', value, PROVIDER_ID_MAX);
  return id === '0' ? null : id;
}
