import { RECORDS } from './records.js';
import { number, t } from './texts.js';

// What a record says of its columns (src/…/record.ts), for tables and forms: a column that is added there
// is offered by its tables and forms without a change of their screens.

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

/** The texts of a record that its form does not place itself. */
export const furtherTexts = (record: RecordName, placed: object): readonly string[] =>
  Object.entries(factsOf(record)).flatMap(([name, { max }]) =>
    max === undefined || Object.hasOwn(placed, name) ? [] : [name],
  );

/** These texts of a row; none are empty. */
export const textsOf = (names: readonly string[], row: object): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, String((row as Record<string, unknown>)[name] ?? '')]));

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
