import { currencyDigits, currencySymbol } from './currency.js';
import { divideRounded, integerText, readDecimal, toInteger } from './decimal.js';

export { CURRENCY_CODES, currencies, currencyDigits, currencySymbol, isCurrency } from './currency.js';

/** An amount in the smallest unit of its currency (cents). Always a safe integer. */
export type Minor = number & { readonly __minor: unique symbol };

export interface MoneyFormat {
  readonly position: 'left' | 'right';
  readonly numberFormat: 'comma_separated' | 'dot_separated';
}

/** The largest amount, ±99,999,999,999.99, in hundredths. */
const LIMIT_HUNDREDTHS = 9_999_999_999_999n;

/** Marks a number as minor units; throws when it is not a safe integer, so a float can never become money. */
export function minor(value: number): Minor {
  if (!Number.isSafeInteger(value)) throw new RangeError('An amount must be a safe integer of minor units.');
  return (value + 0) as Minor; // + 0 turns -0 into 0
}

const fromBigInt = (value: bigint): Minor => minor(Number(value));
const withinLimit = (value: bigint, digits: number): boolean =>
  (value < 0n ? -value : value) * 100n <= LIMIT_HUNDREDTHS * 10n ** BigInt(digits);

/**
 * Minor units of a decimal text, number or `{ minor }`; rounds half away from zero on the
 * decimal text, so "1.005" is 1.01.
 * Null when it is not a finite number or beyond the limit.
 */
export function parseAmount(
  input: string | number | { readonly minor: number },
  currency: string,
): Minor | null {
  const digits = currencyDigits(currency);
  const value = typeof input === 'object' ? givenMinor(input.minor) : rounded(input, digits);
  return value !== null && withinLimit(value, digits) ? fromBigInt(value) : null;
}

const givenMinor = (value: number): bigint | null => (Number.isSafeInteger(value) ? BigInt(value) : null);

function rounded(input: string | number, digits: number): bigint | null {
  const decimal = readDecimal(input);
  return decimal && toInteger(decimal, digits);
}

/** Plain decimal text with all decimals of the currency: "12.50". */
export const toDecimal = (amount: Minor, currency: string): string =>
  integerText(amount, currencyDigits(currency));

/**
 * The JSON number of an amount; exact, because no amount has more than 15 digits. The division of two whole numbers
 * is rounded once, to the number that reading the decimal text would give.
 */
export const toWire = (amount: Minor, currency: string): number => amount / 10 ** currencyDigits(currency);

/** A percentage (× 10 000) of an amount: one exact product, one rounding. */
export const applyRate = (base: Minor, rateE4: number): Minor => scale(base, rateE4, 1_000_000);

/** A flat rate (major units × 10 000) as an amount of the currency. */
export const flatAmount = (rateE4: number, currency: string): Minor =>
  fromBigInt(divideRounded(BigInt(rateE4) * 10n ** BigInt(currencyDigits(currency)), 10_000n));

/** `amount × numerator ÷ denominator` as an exact fraction with one rounding. */
export const scale = (amount: Minor, numerator: number, denominator: number): Minor =>
  fromBigInt(divideRounded(BigInt(amount) * BigInt(numerator), BigInt(denominator)));

/**
 * Divides a total by weights (≥ 0, integers); the parts add up, what is left goes to the
 * largest fractions, earlier first.
 */
export function split(total: Minor, weights: readonly number[]): Minor[] {
  if (weights.length === 0) {
    if (total !== 0) throw new RangeError('An amount cannot be split into no parts.');
    return [];
  }
  if (weights.some((weight) => !Number.isSafeInteger(weight) || weight < 0))
    throw new RangeError('Weights must be integers ≥ 0.');
  const shares = weights.every((weight) => weight === 0) ? weights.map(() => 1n) : weights.map(BigInt);
  const sum = shares.reduce((a, b) => a + b, 0n);
  const whole = BigInt(Math.abs(total));
  const parts = shares.map((share, index) => ({
    index,
    value: (whole * share) / sum,
    rest: (whole * share) % sum,
  }));
  let left = whole - parts.reduce((a, part) => a + part.value, 0n);
  for (const part of parts.toSorted((a, b) => compare(b.rest, a.rest) || a.index - b.index)) {
    if (left === 0n) break;
    part.value += 1n;
    left -= 1n;
  }
  return parts.map((part) => fromBigInt(total < 0 ? -part.value : part.value));
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

/** Text for people: "$ 1,234.50", or "1.234,50 $" with the other settings. */
export function formatMoney(amount: Minor, currency: string, format: MoneyFormat): string {
  const [whole = '', fraction] = toDecimal(amount, currency).split('.');
  const [thousands, point] = format.numberFormat === 'dot_separated' ? ['.', ','] : [',', '.'];
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, thousands);
  const number = fraction === undefined ? grouped : grouped + point + fraction;
  const symbol = currencySymbol(currency);
  return format.position === 'right' ? `${number} ${symbol}` : `${symbol} ${number}`;
}
