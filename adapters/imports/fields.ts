import { own } from '../../src/core/own.js';
import { foldWord } from '../../src/core/imports/words.js';
import type { AnyRow, Raw } from '../imports.js';
import { readStructure, type PhpReading, type PhpValue } from './php.js';
import type { Only, SourceRecord } from './source-queries.js';

type Words = Readonly<Record<string, string>>;

/** Reads a field of ours from the columns it names. */
export interface ColumnReader<T> {
  readonly columns: readonly string[];
  readonly read: (row: SourceRecord) => T;
  /** What the words of a status column mean here. */
  readonly words?: Words;
}

/**
 * Where a field comes from: the column that holds it, a reader such as `firstOf('text', 'alt_text')`, or a function
 * of the row and of what `find` found for its page.
 */
type Field<T, Found> =
  (Raw extends T ? string : never) | ColumnReader<T> | ((row: SourceRecord, found: Found) => T);
type Fields<R, Found> = { readonly [K in keyof Omit<R, 'id'>]: Field<R[K], Found> };

/** The rows of a table that a stage reads. */
interface TableRows {
  readonly table: string;
  /** Pages follow this column; it becomes the `id` of a row. */
  readonly key: string;
  readonly only?: Only;
  /** Several table rows make one row of ours: this column distinguishes them, beside its empty value. */
  readonly distinct?: { readonly column: string; readonly above: string | number };
  /** TIMESTAMP columns hold instants; `instant` reads them. */
  readonly instants?: boolean;
}

export interface StageTable<R> extends TableRows {
  /** The columns that are read; those of its table that no stage reads are reported. */
  readonly columns: readonly string[];
  readonly status?: { readonly column: string; readonly words: Words; readonly only?: Only };
  readonly map: (rows: readonly SourceRecord[]) => Promise<R[]> | R[];
}

interface TableMap<R, Found> extends TableRows {
  /** What the functions of `fields` look up, once for a page. */
  readonly find?: (rows: readonly SourceRecord[]) => Promise<Found>;
  readonly fields: Fields<R, Found>;
  /** Columns beside those that `fields` names: its functions read them, or nothing is lost without them. */
  readonly reads?: string;
  /** The column of status words, when `fields` has a function for them. */
  readonly status?: StageTable<R>['status'];
}

/** A stage whose rows are the rows of one table, by the column of each field. */
export function fromTable<R extends AnyRow, Found>(map: TableMap<R, Found>): StageTable<R> {
  const { find, fields, reads = '', status = statusIn(fields), ...table } = map;
  const entries = Object.entries(fields as Readonly<Record<string, Field<unknown, Found>>>);
  const named = entries.flatMap(([, field]) => columnsOf(field));
  return {
    ...table,
    ...(status && { status }),
    columns: [table.key, ...named, ...columnList(reads), ...(status ? [status.column] : [])],
    map: async (rows) => {
      const found = (await find?.(rows)) as Found; // without `find`, no field asks for it
      return rows.map(
        (row) =>
          Object.fromEntries([
            ['id', idOf(row, table.key)],
            ...entries.map(([name, field]) => [name, readField(field, row, found)]),
          ]) as R, // Fields<R> has a field for each
      );
    },
  };
}

/** The column of the status words, and what they mean. */
function statusIn(fields: object): StageTable<AnyRow>['status'] {
  // the type checker does not know which stage it is
  const field = 'status' in fields ? (fields.status as Field<unknown, never>) : undefined;
  const [column] = columnsOf(field);
  return column === undefined
    ? undefined
    : { column, words: (typeof field === 'object' && field.words) || {} };
}

const columnsOf = (field: Field<unknown, never> | undefined): readonly string[] => {
  if (typeof field === 'string') return [field];
  return typeof field === 'object' ? field.columns : [];
};

function readField<Found>(field: Field<unknown, Found>, row: SourceRecord, found: Found): unknown {
  if (typeof field === 'string') return col(row, field);
  return typeof field === 'function' ? field(row, found) : field.read(row);
}

/** `'id name'` → id, name. */
export const columnList = (text: string): string[] => text.split(/\s+/u).filter(Boolean);

/** A column of words, with what they mean here; a word without a meaning does not change. */
export const wordOf = (column: string, words: Words = {}): ColumnReader<string> => ({
  columns: [column],
  words,
  read: (row) => mapped(words, col(row, column)),
});

export const paymentStatusOf = (
  column: string,
  words: Words = {},
): ColumnReader<'paid' | 'processing' | 'failed'> => ({
  columns: [column],
  words,
  read: (row) => paymentStatus(mapped(words, col(row, column))),
});

/** The first of the columns that is filled. */
export const firstOf = (column: string, other: string): ColumnReader<Raw> => ({
  columns: [column, other],
  read: (row) => col(row, column) || col(row, other),
});

/** A date that replaces an unusable one. */
export const dateOf = (column: string): ColumnReader<Raw[]> => ({
  columns: [column],
  read: (row) => [col(row, column)],
});

/** A TIMESTAMP column. */
export const instantOf = (column: string): ColumnReader<Raw> => ({
  columns: [column],
  read: (row) => instant(row, column),
});

/** A FLOAT column. */
export const exactOf = (column: string): ColumnReader<Raw> => ({
  columns: [column],
  read: (row) => exact(row, column),
});

/** A column as the database hands it out; objects of drivers (dates, buffers) as text. */
export function col(row: SourceRecord, name: string): Raw {
  const value = row[name];
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number')
    return value;
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.getTime() : null;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

export const idOf = (row: SourceRecord, name: string): string => String(row[name]);

/** The word a table of words gives for a stored one; the stored one when it has none. */
export const mapped = (words: Readonly<Record<string, string>>, value: Raw): string => {
  const word = foldWord(value);
  return own(words, word) ?? word;
};

/**
 * A FLOAT column as it was written. Servers print floats with six digits; beyond those, it is the shortest
 * decimal that the float can have come from.
 */
export function exact(row: SourceRecord, name: string): Raw {
  const full = Number(row[`${name}@exact`] ?? Number.NaN);
  if (!Number.isFinite(full) || Math.abs(full) < 10_000) return col(row, name);
  for (let digits = 6; digits <= 9; digits++) {
    const text = full.toPrecision(digits);
    if (Math.fround(Number(text)) === full) return String(Number(text));
  }
  return String(full);
}

/** A payment neither paid nor failed is on its way. */
export const paymentStatus = (word: string): 'paid' | 'processing' | 'failed' =>
  word === 'paid' || word === 'failed' ? word : 'processing';

/** A TIMESTAMP column as epoch milliseconds; the stored text where it is none. */
export const instant = (row: SourceRecord, name: string): Raw => {
  const ms = Number(row[`${name}@utc`] ?? 0);
  return ms > 0 ? ms : col(row, name);
};

/** A column that holds serialized PHP or JSON. */
export const structure = (row: SourceRecord, column: string): PhpReading => readStructure(col(row, column));

/** Remarks of refused structures: `name_reason`; none when all of them were readable. */
export function refusals(readings: Readonly<Record<string, PhpReading>>): readonly string[] | undefined {
  const found = Object.entries(readings).flatMap(([name, reading]) =>
    reading.ok ? [] : [`${name}_${reading.reason}`],
  );
  return found.length > 0 ? found : undefined;
}

export type PhpMap = Readonly<Record<string, PhpValue>>;

/** A structure with keys; an empty one when it is none or was refused. */
export const mapOf = (reading: PhpReading): PhpMap =>
  reading.ok && reading.value !== null && typeof reading.value === 'object' && !Array.isArray(reading.value)
    ? (reading.value as PhpMap)
    : {};

export const scalar = (value: PhpValue | undefined): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

/** A text of a structure; null when it is absent or empty. */
export const textIn = (values: PhpMap, name: string): string | null => String(values[name] ?? '') || null;

/** A structure as it was read; null when it was refused. */
export const valueOf = (reading: PhpReading): PhpValue => (reading.ok ? reading.value : null);

/** What people filled in, each answer as a text. */
export const textsOf = (values: PhpMap): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
