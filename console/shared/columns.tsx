import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { When } from './dates.js';
import type { Filter } from './filters.js';
import type { Form } from './form.js';
import { Money } from './money.js';
import { factsOf, type Facts, type RecordName } from './record-facts.js';
import { number, word } from './texts.js';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Columns of the list's record it shows: the first says whether it sorts and where the cells stand. */
  readonly of?: (keyof Row & string) | readonly (keyof Row & string)[];
  readonly end?: boolean;
  /** Not shown until it is chosen. */
  readonly extra?: boolean;
  /** Heads the card on small screens. */
  readonly head?: boolean;
  /** Its place in a card of two lines; columns without one are not in the card. */
  readonly card?: 'name' | 'amount' | 'state' | 'date';
}

/** A column with what the record says of it. */
export interface TableColumn<Row> extends Column<Row> {
  /** The server sorts by this key. */
  readonly sort?: string;
}

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
    ...columns.map((column) => ({ ...columnOf(facts, column.of), ...column })),
    ...further.map(([name, { kind }]) => ({
      ...columnOf(facts, name),
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

function columnOf(
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

/** What the owner of a row sees of it. */
export const ownFacts = (record: RecordName, row: object): readonly { label: string; value: ReactNode }[] =>
  Object.entries(factsOf(record)).flatMap(([name, { kind, portal }]) =>
    portal
      ? [{ label: word(name), value: cellOf(kind, (row as Readonly<Record<string, unknown>>)[name]) }]
      : [],
  );

/** The inputs of `furtherTexts`, for the end of a form. */
export const FurtherInputs = ({
  names,
  form,
}: {
  readonly names: readonly string[];
  readonly form: Form<Record<string, string>>;
}): ReactNode => names.map((name) => <TextInput key={name} label={word(name)} {...form.text(name)} />);
