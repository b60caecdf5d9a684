import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { boot } from './boot.js';

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
    return formatOf(code).format(Number(amount));
  } catch {
    return `${amount} ${code}`; // a code Intl does not know
  }
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

/** "1.234,50" of the reader's locale as "1234.50"; null when it is no amount. */
export function decimalOf(text: string, locale = boot().locale): string | null {
  const parts = new Intl.NumberFormat(locale).formatToParts(1234.5);
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const group = parts.find(({ type }) => type === 'group')?.value ?? ',';
  const western = text.trim().replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x0660));
  const plain = western.replaceAll(/[\s\u00a0\u202f]/g, '').replaceAll(group === ' ' ? ' ' : group, '');
  const decimal = plain.replace(point, '.');
  return /^-?\d+(?:\.\d+)?$/.test(decimal) ? decimal : null;
}

/** Decimal text of the wire as the reader types it. */
export function typedOf(value: string | number | null | undefined, locale = boot().locale): string {
  if (value === null || value === undefined || value === '') return '';
  const point =
    new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return String(value).replace('.', point);
}

export interface AmountInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** As typed. Read it with `decimalOf`. */
  readonly value: string;
  readonly onChange: (typed: string) => void;
  /** `%`, or a currency code; default: the program's currency. */
  readonly unit?: string;
}

/** An amount as text, with the currency beside it. */
export const AmountInput = ({ value, onChange, unit, ...rest }: AmountInputProps): ReactNode => (
  <TextInput
    inputMode="decimal"
    autoComplete="off"
    {...rest}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    rightSection={<span className="fa-unit">{unit === '%' ? '%' : currencySign(unit)}</span>}
    rightSectionWidth={52}
  />
);

/** Digits of a currency: the program's as the server counts, others as Intl knows them. */
export function currencyDigitsOf(currency: string | null | undefined): number {
  const { program } = boot();
  if (!currency || currency === program.currency) return program.digits;
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}
