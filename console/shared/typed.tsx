import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { boot } from './boot.js';
import { currencySign, digitsOf, type Unit } from './money.js';
import { t } from './texts.js';
import { readNumber, writeNumber } from './typed-number.js';

/** A typed number as decimal text of the wire; null when it is none, or has more decimals than `digits`. */
export const readTyped = (typed: string, unit: Unit, digits = digitsOf(unit)): string | null =>
  readNumber(typed, digits, boot().locale);

/** A number of the wire as the reader types it. */
export function writeTyped(value: string | number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || value === '') return '';
  return writeNumber(value, unit === '%' ? 0 : digitsOf(unit), boot().locale);
}

/** What is said of a number that cannot be read. */
export function howToWrite(unit: Unit): string {
  const digits = unit === '%' ? 1 : digitsOf(unit);
  const example = digits === 0 ? '850' : writeNumber('8.5', digits, boot().locale);
  return t('Write a number like {example}.', { example });
}

export interface AmountInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** As typed. A form reads it with its `figures`. */
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
