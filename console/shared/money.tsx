import type { ReactNode } from 'react';
import { moneyText, percentText } from '../../src/core/figures.js';
import { boot } from './boot.js';
import { number, percent } from './texts.js';

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const { locale, program } = boot();
  const key = `${locale} ${currency}`;
  const digits =
    currency === program.currency
      ? { minimumFractionDigits: program.digits, maximumFractionDigits: program.digits }
      : {};
  const known = formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits });
  formats.set(key, known);
  return known;
}

/** An amount as the reader writes it, in the program's currency unless another is named. */
export function money(amount: number | string | null | undefined, currency?: string | null): string {
  if (amount === null || amount === undefined || amount === '') return '—';
  const code = currency || boot().program.currency;
  try {
    return moneyText(amount, { currency: code, digits: currencyDigitsOf(code) }, boot().locale);
  } catch {
    return `${amount} ${code}`; // a code Intl does not know
  }
}

/** A figure of a summary: money, a count, or a share such as "10.20%". */
export function cardText({
  amount,
  is_currency: isMoney,
  is_number: isCount,
}: {
  readonly amount: number | string;
  readonly is_currency?: boolean;
  readonly is_number?: boolean;
}): string {
  if (isMoney) return money(amount);
  return isCount ? number(Number(amount)) : percent(Number.parseFloat(String(amount)) / 100);
}

export const Money = ({
  amount,
  currency,
}: {
  amount: number | null;
  currency?: string | null;
}): ReactNode => <span className="fa-number">{money(amount, currency)}</span>;

/** The sign the locale writes for the currency. */
export const currencySign = (currency: string = boot().program.currency): string =>
  formatOf(currency)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency;

/** What a number counts: percent, plain things such as days, or money of a currency. */
export type Unit = '%' | 'count' | (string & {});

/** Decimals of a rate: the service keeps rates × 10 000. */
export const RATE_DIGITS = 4;

/** Decimals that a number of this unit can have. */
export function digitsOf(unit: Unit): number {
  if (unit === '%') return RATE_DIGITS;
  return unit === 'count' ? 0 : currencyDigitsOf(unit);
}

/** A number of the wire with its unit, with up to `digits` decimals. */
export function unitText(value: string | number, unit: Unit, digits = digitsOf(unit)): string {
  if (unit === '%') return percentText(value, boot().locale, digits);
  if (unit === 'count') return number(Number(value));
  return moneyText(value, { currency: unit, digits: currencyDigitsOf(unit), most: digits }, boot().locale);
}

/** Digits of a currency: the program's as the server counts, others as Intl knows them. */
export function currencyDigitsOf(currency: string | null | undefined): number {
  const { program } = boot();
  if (!currency || currency === program.currency) return program.digits;
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}
