import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { boot } from './boot.js';
import { currencyLeads, currencySign, digitsOf, type Unit } from './money.js';
import { t } from './texts.js';
import { parseNumber, formatNumber } from './typed-number.js';

/** Parses an entered number to a decimal of the API; null if invalid or with more decimals than `digits`. */
export const parseInput = (typed: string, unit: Unit, digits = digitsOf(unit)): string | null =>
  parseNumber(typed, digits, boot().locale);

/** Formats a decimal of the API for an input. */
export function formatInput(value: string | number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || value === '') return '';
  return formatNumber(value, unit === '%' ? 0 : digitsOf(unit), boot().locale);
}

/** The error for an invalid number. */
export function howToWrite(unit: Unit): string {
  const digits = unit === '%' ? 1 : digitsOf(unit);
  const whole = unit === 'count' ? '30' : '850';
  const example = digits === 0 ? whole : formatNumber('8.5', digits, boot().locale);
  return t('Write a number like {example}.', { example });
}

export interface AmountInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The value as entered; the form parses it by its `figures`. */
  readonly value: string;
  readonly onChange: (typed: string) => void;
  /** `%` or a currency code. Default: the program's currency. */
  readonly unit?: string;
}

/** An input for an amount, with its currency where the reader's language writes it. */
export function AmountInput({
  value,
  onChange,
  unit = boot().program.currency,
  ...rest
}: AmountInputProps): ReactNode {
  const sign = unit === '%' ? '%' : currencySign(unit);
  const section = <span className="fa-unit">{sign}</span>;
  const width = 20 + 10 * sign.length;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(unit !== '%' && currencyLeads(unit)
        ? { leftSection: section, leftSectionWidth: width }
        : { rightSection: section, rightSectionWidth: width })}
    />
  );
}
