import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { When } from './dates.js';
import type { Filter } from './filters.js';
import type { Form } from './form.js';
import type { Column, TableColumn } from './list.js';
import { Money } from './money.js';
import { RECORDS } from './records.js';
import { number, t, word } from './texts.js';

// What a record says of its columns (src/…/record.ts), for tables and forms: a column that is added there
// is offered by its tables and forms without a change of their screens.

export type RecordName = keyof typeof RECORDS;
interface Facts {
  readonly kind: 'number' | 'text' | 'word' | 'amount' | 'time';
  readonly sort?: true;
  readonly listed?: true;
  readonly filter?: true;
  readonly max?: number;
}
const factsOf = (record: RecordName): Readonly<Record<string, Facts>> => RECORDS[record];

/** The columns of a screen with what the record says of them; after them those the screen does not name. */
export function tableOf<Row>(
  record: RecordName | undefined,
  columns: readonly Column<Row>[],
): readonly TableColumn<Row>[] {
  if (record === undefined) return columns;
  const facts = factsOf(record);
  const named = new Set<string>(columns.flatMap(({ of = [] }) => of));
  const further = Object.entries(facts).filter(([name, { listed }]) => listed && !named.has(name));
  return [
    ...columns.map((column) => ({ ...asTold(facts, column.of), ...column })),
    ...further.map(([name, { kind }]) => ({
      ...asTold(facts, name),
      key: name,
      label: word(name),
      extra: true,
      cell: (row: Row) => cellOf(kind, (row as Readonly<Record<string, unknown>>)[name]),
    })),
  ];
}

/** The filters of a screen that has some; after them those by columns the screen does not name. */
export function filtersOf(
  record: RecordName | undefined,
  filters: readonly Filter[] = [],
): readonly Filter[] {
  if (record === undefined || filters.length === 0) return filters;
  const further = Object.entries(factsOf(record)).filter(
    ([name, { kind, filter }]) => filter && kind !== 'word' && !filters.some(({ key }) => key === name),
  );
  return filters.concat(
    further.map(([name, { kind }]) => ({
      key: name,
      label: word(name),
      ...(kind === 'text' ? { contains: true, kind } : { compare: true }),
    })),
  );
}

function asTold(
  facts: Readonly<Record<string, Facts>>,
  of: string | readonly string[] = [],
): { readonly sort?: string; readonly end?: boolean } {
  const [name = ''] = [of].flat();
  const told = facts[name];
  return {
    ...(told?.sort && { sort: name }),
    ...(told && told.kind !== 'text' && told.kind !== 'word' && { end: true }),
  };
}

function cellOf(kind: Facts['kind'], value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return '—';
  if (kind === 'time') return <When at={String(value)} />;
  if (kind === 'word') return word(String(value));
  if (kind === 'amount') return <Money amount={Number(value)} />;
  return typeof value === 'number' ? <span className="fa-number">{number(value)}</span> : String(value);
}

/** The texts of a record that its form does not place itself. */
export const furtherTexts = (record: RecordName, placed: object): readonly string[] =>
  Object.entries(factsOf(record)).flatMap(([name, { max }]) =>
    max === undefined || Object.hasOwn(placed, name) ? [] : [name],
  );

/** These texts of a row; none are empty. */
export const textsOf = (names: readonly string[], row: object): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, String((row as Record<string, unknown>)[name] ?? '')]));

/** Their inputs, for the end of the form. */
export const FurtherInputs = ({
  names,
  form,
}: {
  readonly names: readonly string[];
  readonly form: Form<Record<string, string>>;
}): ReactNode => names.map((name) => <TextInput key={name} label={word(name)} {...form.text(name)} />);

/** What is too long in a form, by the limits of its record. */
export const tooLong = (record: RecordName | undefined, values: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
      const max = record && factsOf(record)[name]?.max;
      // as people count them, and as the server does
      const isLonger = max !== undefined && typeof value === 'string' && Array.from(value).length > max;
      return isLonger ? [[name, t('At most {count} characters.', { count: number(max) })]] : [];
    }),
  );
