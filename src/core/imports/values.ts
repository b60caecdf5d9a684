import { parseSiteTime } from '../dates.js';
import { readDecimal, toInteger } from '../decimal.js';
import { currencyDigits, isCurrency, parseAmount, type Minor } from '../money.js';
import { mailboxKey } from '../mailbox.js';
import { cleanText, cleanTextarea, cut } from '../text.js';

/** A stored value of the old system: text, with all its noise. */
export type Raw = string | number | null | undefined;

// How the noise of old databases becomes values of ours. Each function returns null for "nothing usable".

const MAX_RATE_E4 = 999_999_999_999_900n;
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u;
// one or two digits after a comma are no thousands
const DECIMAL_COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}$/u;
// As old systems hold them (`user@localhost`); what is typed here has to pass core/address.ts.
const EMAIL = /^[^\s@<>"'(),:;\\[\]]{1,64}@[^\s@<>"'(),:;\\[\]]{1,190}$/u;
const MOJIBAKE =
  /[\u00c2-\u00f4][\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]/u;
// The characters Windows-1252 has in the place of the control characters 80..9f.
const CP1252 = new Map(
  Array.from('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ', (char, at) => [char, 0x80 + at]),
);
const MAX_TEXT = 5000;
const EARLIEST = Date.UTC(1990, 0, 1);

export const isBlank = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

/** Undoes one round of "UTF-8 read as latin1": `JosÃ©` → `José`; other text does not change. */
export function repairText(text: string): string {
  if (!MOJIBAKE.test(text)) return text;
  const bytes: number[] = [];
  for (const char of text) {
    const code = CP1252.get(char) ?? char.codePointAt(0) ?? 0x100;
    if (code > 0xff) return text;
    bytes.push(code);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return text;
  }
}

export function readText(value: Raw, max: number): string | null {
  if (isBlank(value)) return null;
  return cut(cleanText(repairText(String(value))), max) || null;
}

export function readLongText(value: Raw, max: number): string | null {
  if (isBlank(value)) return null;
  return cut(cleanTextarea(repairText(String(value))), max) || null;
}

/** A structure with every text in it cleaned as a text of its own (docs/reliability.md §1). */
export function readTree(value: unknown): unknown {
  if (typeof value === 'string') return readText(value, MAX_TEXT) ?? '';
  if (Array.isArray(value)) return value.map(readTree);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [readText(key, 100) ?? '', readTree(each)]),
  );
}

export function readEmail(value: Raw): string | null {
  const text = readText(value, 191);
  return text !== null && EMAIL.test(text) ? text : null;
}

export const readEmailKey = (value: Raw): string | null => {
  const email = readEmail(value);
  return email === null ? null : cut(mailboxKey(email), 191);
};

/** Plain decimal text; the thousands separators of formatted amounts go, a decimal comma becomes a point. */
function decimalText(value: Raw): string {
  const text = String(value ?? '').trim();
  if (DECIMAL_COMMA.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return GROUPED.test(text) ? text.replaceAll(',', '') : text;
}

/** Minor units, rounded once on the decimal text; null when it is no amount of ours. */
export function readAmount(value: Raw, currency: string): Minor | null {
  return isBlank(value) ? null : parseAmount(decimalText(value), currency);
}

/** What rounding to minor units took away, × 10^-12. */
export function roundingOf(value: Raw, amount: Minor, currency: string): bigint {
  const decimal = readDecimal(decimalText(value));
  return decimal === null
    ? 0n
    : toInteger(decimal, 12) - BigInt(amount) * 10n ** BigInt(12 - currencyDigits(currency));
}

export function readCurrency(value: Raw): string | null {
  const code = String(value ?? '')
    .trim()
    .toUpperCase();
  return isCurrency(code) ? code : null;
}

/** A rate × 10 000, rounded to four decimals; null when there is none or it is negative. */
export function readRate(value: Raw): number | null {
  const decimal = isBlank(value) ? null : readDecimal(decimalText(value));
  if (decimal === null || decimal.units < 0n) return null;
  const rate = toInteger(decimal, 4);
  return rate <= MAX_RATE_E4 ? Number(rate) : null;
}

/** Epoch milliseconds of a stored time in this zone; null for zero dates and what is none. */
export function readTime(value: unknown, timeZone: string): number | null {
  if (value instanceof Date) return sensible(value.getTime());
  if (typeof value === 'number') return sensible(value);
  if (typeof value !== 'string') return null;
  const text = value
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d)$/u, '$1 00:00:00')
    .replace(/\.\d+$/u, '');
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/u.test(text)) return sensible(Date.parse(text));
  return sensible(parseSiteTime(text, timeZone));
}

const sensible = (ms: number | null): number | null =>
  ms !== null && Number.isFinite(ms) && ms >= EARLIEST ? Math.trunc(ms) : null;

/** An id that a row refers to; 0 and blanks mean none. */
export function readRef(value: unknown): string | null {
  const text =
    typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint'
      ? String(value).trim()
      : '';
  return text === '' || text === '0' ? null : text;
}

/** Ids of a comma list with gaps: `1,,3, x` → 1, 3. */
export const readIdList = (value: unknown): string[] => [
  ...new Set(
    (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
      .split(/[\s,|]+/u)
      .filter((part) => /^[1-9]\d{0,18}$/u.test(part)),
  ),
];
