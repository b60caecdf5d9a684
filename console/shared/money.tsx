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

/** A formatted amount, in the program's currency by default. */
export function money(amount: number | string | null | undefined, currency?: string | null): string {
  if (amount === null || amount === undefined || amount === '') return '—';
  const code = currency || boot().program.currency;
  try {
    return moneyText(amount, { currency: code, digits: currencyDigitsOf(code) }, boot().locale);
  } catch {
    return `${amount} ${code}`; // a code Intl does not know
  }
}

/** A formatted figure: money, a count, or a share such as "10.20%". */
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

/** The currency symbol in the user's locale. */
export const currencySign = (currency: string = boot().program.currency): string =>
  formatOf(currency)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency;

/** Does the user's language write the currency before the amount? */
export function currencyLeads(currency: string): boolean {
  const parts = formatOf(currency).formatToParts(0);
  return parts.find(({ type }) => type === 'currency' || type === 'integer')?.type === 'currency';
}

/** An amount for an axis: short, such as "2.5K", or with so many decimals. */
export function shortMoney(amount: number, digits: number | undefined): string {
  const { locale, program } = boot();
  const length =
    digits === undefined
      ? ({ notation: 'compact', maximumFractionDigits: 1 } as const)
      : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: 'currency', currency: program.currency, ...length }).format(
    amount,
  );
}

/** The unit of a number: percent, a count, or a currency. */
export type Unit = '%' | 'count' | (string & {});

/** Decimals of a rate: the service stores rates × 10,000. */
export const RATE_DIGITS = 4;

/** Allowed decimals of a unit. */
export function digitsOf(unit: Unit): number {
  if (unit === '%') return RATE_DIGITS;
  return unit === 'count' ? 0 : currencyDigitsOf(unit);
}

/** Formats a decimal of the API with its unit and up to `digits` decimals. */
export function unitText(value: string | number, unit: Unit, digits = digitsOf(unit)): string {
  if (unit === '%') return percentText(value, boot().locale, digits);
  if (unit === 'count') return number(Number(value));
  return moneyText(value, { currency: unit, digits: currencyDigitsOf(unit), most: digits }, boot().locale);
}

/** Decimals of a currency: the server's for the program's currency, Intl's for others. */
export function currencyDigitsOf(currency: string | null | undefined): number {
  const { program } = boot();
  if (!currency || currency === program.currency) return program.digits;
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}
