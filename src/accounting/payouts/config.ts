import { dayStart, parseDay, toSite } from '../../core/dates.js';
import { minor, parseAmount, toWire, type Minor } from '../../core/money.js';
import { LINE, LINES, type TextKind } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import { checkSelection } from '../../platform/http/selection.js';
import { readCurrency } from '../../records/currency-field.js';
import type { PayoutConfig, PayoutConfigInput } from './types.js';

// The input of a run (days, affiliates, smallest sum) is not stored in columns of the payout: days become
// times, ids a list, and all of it depends on the program's currency and clock. So it is read here and not by
// a record.

export interface ConfigFrame {
  readonly currency: string;
  readonly timeZone: string;
  readonly now: number;
  /** The smallest sum that a run may pay, also when the form has a smaller one. */
  readonly floor: string | number | undefined;
  /** The key of a method by its name, or null when it is unknown. */
  readonly methodKey: (name: string) => string | null;
  /** All keys, for a message. */
  readonly methodKeys: string;
}

const MAX_IDS = 5000;
/** What a run can be narrowed by. The fields themselves are read below. */
const SELECTIONS = { affiliate_ids: {}, currency: {}, start_date: {}, end_date: {} };
const LAST_DAY = 2_932_896; // 9999-12-31

/** Checks a submitted configuration and resolves its dates on the site's clock (docs/interface.md §9.1). */
export function readConfig(input: unknown, frame: ConfigFrame): PayoutConfig {
  const check = new FieldCheck();
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    check.add('config', 'required', 'The config must be an object.').throwIfAny();
  }
  const form = input as PayoutConfigInput;
  refuseBlindSelection(form);
  const currency = readCurrency(check, isBlank(form.currency) ? null : form.currency, {
    fallback: frame.currency,
  });
  const config = {
    title: readText(check, 'title', form.title, LINE, 192),
    description: readText(check, 'description', form.description, LINES, 5000),
    affiliate_ids: readIds(check, form.affiliate_ids),
    currency,
    program: currency === frame.currency,
    payout_method: readMethod(check, form.payout_method, frame),
    min_payout_minor: readMinimum(check, form.min_payout, currency, frame),
    preview_token: isBlank(form.preview_token) ? null : String(form.preview_token),
  };
  const range = readRange(check, form, frame);
  check.throwIfAny();
  if (range.from > range.to) fail('invalid_date_range');
  return {
    ...config,
    from: range.from,
    to: range.to,
    settings: {
      start_date: range.start,
      end_date: range.end,
      min_payout: toWire(config.min_payout_minor, currency),
      affiliate_ids: config.affiliate_ids,
    },
  };
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A run pays all affiliates only when the form has no choice: an empty or misspelled one is refused. */
function refuseBlindSelection(form: PayoutConfigInput): void {
  checkSelection(form, SELECTIONS);
}

function readText(check: FieldCheck, field: string, value: unknown, kind: TextKind, max: number): string {
  if (!isBlank(value) && typeof value !== 'string' && typeof value !== 'number') {
    check.add(field, 'string', `The ${field} must be text.`);
    return '';
  }
  const text = isBlank(value) ? '' : kind.read(String(value));
  if (!kind.fits(text)) check.add(field, kind.rule, kind.says);
  if (text === '') check.add(field, 'required', `The ${field} is required.`);
  if (Array.from(text).length > max)
    check.add(field, 'max', `The ${field} must have at most ${max} characters.`);
  return text;
}

function readIds(check: FieldCheck, value: unknown): readonly number[] {
  if (isBlank(value)) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MAX_IDS) check.add('affiliate_ids', 'max', `Choose at most ${MAX_IDS} affiliates.`);
  const ids = list
    .filter((entry) => !isBlank(entry))
    .map((entry) => (typeof entry === 'string' && /^\d{1,16}$/u.test(entry.trim()) ? Number(entry) : entry));
  if (ids.some((id) => !Number.isSafeInteger(id) || (id as number) < 1)) {
    check.add('affiliate_ids', 'array', 'The affiliates must be a list of IDs.');
    return [];
  }
  return [...new Set(ids as number[])].sort((a, b) => a - b);
}

function readMethod(check: FieldCheck, value: unknown, { methodKey, methodKeys }: ConfigFrame): string {
  if (isBlank(value)) return 'manual';
  const key = typeof value === 'string' ? methodKey(value.trim()) : null;
  if (key === null) check.add('payout_method', 'in', `The payout method must be one of: ${methodKeys}.`);
  return key ?? 'manual';
}

function readMinimum(check: FieldCheck, value: unknown, currency: string, frame: ConfigFrame): Minor {
  const floor =
    frame.floor === undefined || currency !== frame.currency
      ? minor(0)
      : (parseAmount(frame.floor, currency) ?? minor(0));
  if (isBlank(value)) return floor;
  const amount = typeof value === 'number' || typeof value === 'string' ? parseAmount(value, currency) : null;
  if (amount === null) check.add('min_payout', 'numeric', 'The smallest payout must be a number.');
  else if (amount < 0) check.add('min_payout', 'min', 'The smallest payout must be 0 or more.');
  return minor(Math.max(amount ?? 0, floor));
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly start: string;
  readonly end: string;
}

function readRange(check: FieldCheck, form: PayoutConfigInput, { timeZone, now }: ConfigFrame): Range {
  const first = readDay(check, 'start_date', form.start_date);
  const last = readDay(check, 'end_date', form.end_date);
  const lastMs = last === null ? now - (now % 1000) + 999 : dayStart(last + 1, timeZone) - 1;
  return {
    from: dayStart(first ?? 0, timeZone),
    to: lastMs,
    start: first === null ? '1970-01-01 00:00:00' : toSite(dayStart(first, timeZone), timeZone),
    end: toSite(lastMs, timeZone),
  };
}

function readDay(check: FieldCheck, field: 'start_date' | 'end_date', value: unknown): number | null {
  if (isBlank(value)) return null;
  const day = typeof value === 'string' ? parseDay(value.trim()) : null;
  if (day === null || day < 0 || day > LAST_DAY)
    check.add(field, 'date', `The ${field} must have the form YYYY-MM-DD.`);
  return day;
}
