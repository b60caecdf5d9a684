/** A decimal number exactly as written: `units` × 10^-`scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,5}))?$/iu;
const MAX_LENGTH = 100;
// Far larger than any amount we accept, yet small enough to compute powers of ten quickly.
const MAX_SCALE = 400;

/**
 * Reads plain or exponent notation without passing through binary fractions;
 * null when it is not a finite number.
 */
export function readDecimal(input: string | number): Decimal | null {
  const text = String(input).trim();
  const match = text.length > MAX_LENGTH ? null : DECIMAL.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return { units: 0n, scale: 0 };
  const scale = Math.max(-MAX_SCALE, Math.min(MAX_SCALE, fraction.length - Number(exponent)));
  return { units: sign === '-' ? -digits : digits, scale };
}

/** The exact quotient, rounded once, half away from zero. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError('Division by zero.');
  const negative = numerator < 0n !== denominator < 0n;
  const top = numerator < 0n ? -numerator : numerator;
  const bottom = denominator < 0n ? -denominator : denominator;
  const rounded = (top * 2n + bottom) / (bottom * 2n);
  return negative ? -rounded : rounded;
}

/** The decimal × 10^`digits` as an integer, rounded half away from zero. */
export function toInteger(decimal: Decimal, digits: number): bigint {
  const shift = digits - decimal.scale;
  return shift >= 0
    ? decimal.units * 10n ** BigInt(shift)
    : divideRounded(decimal.units, 10n ** BigInt(-shift));
}

/** An integer × 10^-`digits` as plain text, always with that many decimals: (1250, 2) → "12.50". */
export function integerText(value: number, digits: number): string {
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  const sign = value < 0 ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Has the amount more decimals than its currency? Zeros at the end do not count; a text that is no amount has none. */
export function hasMoreDecimals(value: unknown, digits: number): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (String(value).length > 64) return false; // not an amount; another check reports it
  const [, decimals = '', exponent] =
    /^[-+]?\d*\.?(\d*?)0*(?:e([-+]?\d+))?$/i.exec(String(value).trim()) ?? [];
  return decimals.length - Number(exponent ?? 0) > digits;
}
