import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DateTime } from './dates.js';
import type { Filter } from './filters.js';
import type { Form } from './form.js';
import { Money } from './money.js';
import { factsOf, type Facts, type RecordName } from './record-facts.js';
import { number, word } from './texts.js';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  /** Default: the row's value of the first column in `of`, formatted by its kind. */
  readonly cell?: (row: Row) => ReactNode;
  /** Columns of the record it shows; the first decides sorting and alignment. */
  readonly of?: (keyof Row & string) | readonly (keyof Row & string)[];
  /** The kind of value if the list has no record. */
  readonly kind?: Facts['kind'];
  readonly end?: boolean;
  readonly strong?: boolean;
  /** Hidden by default. */
  readonly extra?: boolean;
  /** The title of the card on small screens. */
  readonly head?: boolean;
  /** Its place in a two-line card; columns without one are omitted there. */
  readonly card?: 'name' | 'amount' | 'state' | 'date';
}

/** A column with the facts of its record. */
export interface TableColumn<Row> extends Column<Row> {
  readonly cell: (row: Row) => ReactNode;
  /** Sort key of the server. */
  readonly sort?: string;
}

/** The columns of a screen, followed by those of the record that the screen does not name. */
export function tableOf<Row>(
  record: RecordName | undefined,
  columns: readonly Column<Row>[],
): readonly TableColumn<Row>[] {
  const facts = record === undefined ? {} : factsOf(record);
  const named = new Set<string>(columns.flatMap(({ of = [] }) => of));
  const further = Object.entries(facts).filter(([name, { listed }]) => listed && !named.has(name));
  return [
    ...columns.map((column) => strongOf({ ...columnOf(facts, column.of, column.kind), ...column })),
    ...further.map(([name]) => ({
      ...columnOf<Row>(facts, name),
      key: name,
      label: word(name),
      extra: true,
    })),
  ];
}

const strongOf = <Row,>(column: TableColumn<Row>): TableColumn<Row> =>
  column.strong ? { ...column, cell: (row) => <strong>{column.cell(row)}</strong> } : column;

/** The filters of a screen, followed by those of columns that the screen does not name. */
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

function columnOf<Row>(
  facts: Readonly<Record<string, Facts>>,
  of: string | readonly string[] = [],
  kind?: Facts['kind'],
): Pick<TableColumn<Row>, 'sort' | 'end' | 'cell'> {
  const [name = ''] = [of].flat();
  const known = facts[name];
  const shown = kind ?? known?.kind;
  return {
    ...(known?.sort && { sort: name }),
    ...(shown && shown !== 'text' && shown !== 'word' && { end: true }),
    cell: (row) => cellOf(shown ?? 'text', row as Values, name),
  };
}

type Values = Readonly<Record<string, unknown>>;

function cellOf(kind: Facts['kind'], row: Values, name: string): ReactNode {
  const value = row[name];
  if (kind === 'time') return <DateTime at={value as string | null} />;
  if (kind === 'amount')
    return <Money amount={value as number | null} currency={row['currency'] as string | null} />;
  if (value === null || value === undefined || value === '') return '—';
  if (kind === 'word') return word(String(value));
  return typeof value === 'number' ? <span className="fa-number">{number(value)}</span> : String(value);
}

/** Text columns that affiliates see. */
export const ownFacts = (record: RecordName, row: object): readonly { label: string; value: ReactNode }[] =>
  Object.entries(factsOf(record)).flatMap(([name, { kind, portal }]) =>
    portal ? [{ label: word(name), value: cellOf(kind, row as Values, name) }] : [],
  );

/** Inputs of `furtherTexts`, for the end of a form. */
export const FurtherInputs = ({
  names,
  form,
}: {
  readonly names: readonly string[];
  readonly form: Form<Record<string, string>>;
}): ReactNode => names.map((name) => <TextInput key={name} label={word(name)} {...form.text(name)} />);
