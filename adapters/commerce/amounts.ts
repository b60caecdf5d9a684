import { divideRounded } from '../../src/core/decimal.js';
import { currencyDigits, isCurrency, minor, parseAmount, split, type Minor } from '../../src/core/money.js';
import type { ProviderItem } from '../commerce.js';

/**
 * The number of decimals a vendor uses for a currency, where it differs from ISO 4217. A table, so that a
 * host can correct it.
 */
export type DigitsTable = Readonly<Record<string, number>>;

export const NOTHING = minor(0);

/**
 * Reads decimal text such as "59.00". More decimals than the currency has are rounded half away from zero.
 * Absent counts as 0.
 */
export function fromDecimal(value: unknown, currency: string): Minor {
  if (value === undefined || value === null || value === '') return NOTHING;
  const amount = typeof value === 'string' || typeof value === 'number' ? parseAmount(value, currency) : null;
  if (amount === null) throw new TypeError('An amount is not a decimal number.');
  return amount;
}

/** Reads a vendor's integer in its own smallest unit. Absent counts as 0. */
export function fromVendorMinor(value: unknown, currency: string, table: DigitsTable = {}): Minor {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new TypeError('An amount is not an integer.');
  const own = currencyDigits(currency);
  const vendor = table[currency] ?? own;
  if (own >= vendor) return minor(value * 10 ** (own - vendor));
  return minor(Number(divideRounded(BigInt(value), 10n ** BigInt(vendor - own))));
}

/** The code in upper case. Throws on what is no currency, because without one an amount means nothing. */
export function currencyOf(value: unknown): string {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  if (!isCurrency(code)) throw new TypeError('The currency is not one of ISO 4217.');
  return code;
}

export const sum = (amounts: readonly number[]): Minor => minor(amounts.reduce((all, each) => all + each, 0));
export const atLeastZero = (amount: number): Minor => minor(Math.max(0, amount));

/** Takes a line below zero off the other lines, in proportion to their amounts. */
export function lowered(
  items: readonly ProviderItem[],
  off: { readonly net: number; readonly tax: number },
): ProviderItem[] {
  if (items.length === 0 || (off.net <= 0 && off.tax <= 0)) return [...items];
  const share = (amounts: readonly Minor[], given: number): readonly number[] =>
    split(minor(Math.min(sum(amounts), Math.max(0, given))), amounts);
  const [nets, taxes] = [
    share(
      items.map(({ net }) => net),
      off.net,
    ),
    share(
      items.map(({ tax }) => tax),
      off.tax,
    ),
  ];
  return items.map((item, at) => ({
    ...item,
    net: atLeastZero(item.net - (nets[at] ?? 0)),
    tax: atLeastZero(item.tax - (taxes[at] ?? 0)),
  }));
}
