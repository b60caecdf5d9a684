import type { ReactNode } from 'react';
import { dayText } from './dates.js';
import { number, t } from './texts.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A filter of a list: some choices, a number to compare with, a day, a text, or something of its own. */
export interface Filter {
  readonly key: string;
  readonly label: string;
  readonly choices?: readonly Choice[];
  /** Several choices at once; they stand in the address with commas. */
  readonly several?: boolean;
  /** `gt:100` and the like, sent as `filters[key][operator]`. */
  readonly compare?: boolean;
  /** A part of a text of the record, sent likewise. */
  readonly contains?: boolean;
  readonly kind?: 'day' | 'text' | 'number';
  /** Another way to draw it, e.g. a search for affiliates. */
  readonly editor?: (value: string, apply: (value: string) => void) => ReactNode;
  readonly textOf?: (value: string) => ReactNode;
  /** How the value is sent, where the query has another form. */
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
