import type { ReactNode } from 'react';
import { dayText } from './dates.js';
import { number, t } from './texts.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Options from `values`, labeled by `label`. */
export const choicesOf = <const Value extends string>(
  values: readonly Value[],
  label: (value: NoInfer<Value>) => string,
): { value: Value; label: string }[] => values.map((value) => ({ value, label: label(value) }));

/** Options from a map of values and labels. */
export const choicesIn = <const Names extends Readonly<Record<string, string>>>(
  names: Names,
): { value: keyof Names & string; label: string }[] =>
  choicesOf(Object.keys(names), (value) => names[value]!);

/** A list filter: options, a number comparison, a day, a text or a custom input. */
export interface Filter {
  readonly key: string;
  readonly label: string;
  readonly choices?: readonly Choice[];
  /** Allows several options, separated by commas in the URL. */
  readonly several?: boolean;
  /** A comparison such as `gt:100`, sent as `filters[key][operator]`. */
  readonly compare?: boolean;
  /** A substring of the column, sent in the same form. */
  readonly contains?: boolean;
  readonly kind?: 'day' | 'text' | 'number';
  /** A custom input, e.g. a search for affiliates. */
  readonly editor?: (value: string, apply: (value: string) => void) => ReactNode;
  readonly textOf?: (value: string) => ReactNode;
  /** Converts the value for the request. */
  readonly send?: (value: string) => object;
}

export const operators = (): readonly Choice[] => [
  { value: 'gt', label: t('more than') },
  { value: 'lt', label: t('less than') },
  { value: '=', label: t('exactly') },
];

export function filterText(filter: Filter, value: string): ReactNode {
  if (filter.textOf) return filter.textOf(value);
  if (filter.compare) {
    const [operator, ...rest] = value.split(':');
    return `${operators().find((choice) => choice.value === operator)?.label ?? operator} ${number(Number(rest.join(':')), 4)}`;
  }
  if (filter.kind === 'day') return dayText(value);
  return value
    .split(',')
    .map((part) => filter.choices?.find((choice) => choice.value === part)?.label ?? part)
    .join(', ');
}

/** Days of creation, inclusive. */
export const dayFilters = (): readonly Filter[] => [
  { key: 'date_from', label: t('From day'), kind: 'day' },
  { key: 'date_to', label: t('Until day'), kind: 'day' },
];
