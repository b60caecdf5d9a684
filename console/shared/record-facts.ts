import { RECORDS } from './records.js';
import { number, t } from './texts.js';

// Facts of a record's columns (src/…/record.ts) for lists and forms, so that a new column appears there without a
// change of the screens.

export type RecordName = keyof typeof RECORDS;
export interface Facts {
  readonly kind: 'number' | 'text' | 'word' | 'amount' | 'time';
  readonly sort?: true;
  readonly listed?: true;
  readonly filter?: true;
  readonly portal?: true;
  readonly max?: number;
}
export const factsOf = (record: RecordName): Readonly<Record<string, Facts>> => RECORDS[record];

/** Text columns of a record that its form does not list. */
export const furtherTexts = (record: RecordName, placed: object): readonly string[] =>
  Object.entries(factsOf(record)).flatMap(([name, { max }]) =>
    max === undefined || Object.hasOwn(placed, name) ? [] : [name],
  );

/** Values of these columns, without empty ones. */
export const textsOf = (names: readonly string[], row: object): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, String((row as Record<string, unknown>)[name] ?? '')]));

/** Errors for texts above the limits of their record. */
export const tooLong = (record: RecordName | undefined, values: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
      const max = record && factsOf(record)[name]?.max;
      // code points, as the server counts
      const isLonger = max !== undefined && typeof value === 'string' && Array.from(value).length > max;
      return isLonger ? [[name, t('At most {count} characters.', { count: number(max) })]] : [];
    }),
  );
