import { integerText, readDecimal, toInteger } from './decimal.js';

// 99,999,999,999.99 × 10 000; still a safe integer.
const LIMIT_E4 = 999_999_999_999_900n;

/**
 * A percentage or flat rate × 10 000; null when it is not numeric, negative,
 * too large or has more than four decimals.
 */
export function parseRate(input: string | number): number | null {
  const decimal = readDecimal(input);
  if (!decimal || decimal.units < 0n || decimal.scale < -20) return null;
  const value = toInteger(decimal, 4);
  const exact =
    value * 10n ** BigInt(Math.max(0, decimal.scale - 4)) ===
    decimal.units * 10n ** BigInt(Math.max(0, 4 - decimal.scale));
  return exact && value <= LIMIT_E4 ? Number(value) : null;
}

/** The rate without trailing zeros: 125000 → "12.5". */
export const rateText = (rateE4: number): string => integerText(rateE4, 4).replace(/\.?0+$/u, '');

/** The JSON number of a rate: the one its text would be read as. */
export const rateToWire = (rateE4: number): number => rateE4 / 10_000;
