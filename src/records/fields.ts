import type { Static, TSchema } from 'typebox';
import { toIso } from '../core/dates.js';
import { readJson } from '../core/json.js';
import { minor, toWire, type Minor } from '../core/money.js';
import { rateToWire } from '../core/rate.js';
import {
  anyObject,
  boolean,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  string,
} from '../core/dto-schema.js';
import type { Entry } from './entry.js';
import type { SortKey } from './list.js';
import type { SearchKind } from './search.js';

/** What a list can do with a column. */
export interface Use {
  /** True, or the SQL to sort by where it is not the column itself. */
  readonly sort?: true | SortKey;
  /** `column`: found by `column:text` and `column=text`; `anywhere`: found by an ordinary search too. */
  readonly find?: 'column' | 'anywhere';
  /** Filters with an operator can use it. */
  readonly filter?: true;
  /** Exports show it. */
  readonly export?: true;
  /** Imports can set it, by the rules of its form field. */
  readonly import?: true;
  /** The owner of the row sees it in the portal. */
  readonly portal?: true;
  /** Its changes leave an entry in the audit log. */
  readonly audit?: true;
}

/**
 * One column: `T` is its type in the program, `W` its type in responses; `W` is never for a column that
 * responses do not show.
 */
export interface Field<T, W> extends Use {
  readonly kind: SearchKind;
  /** It may be null. */
  readonly empty: boolean;
  readonly inside?: true;
  /** How a form sets it; added by `inForm`. */
  readonly form?: Entry<unknown>;
  /** How responses show it. */
  readonly schema: TSchema;
  read(stored: unknown): T;
  write(value: T): unknown;
  /** Amounts are shown in this currency. */
  serialize(value: T, currency: string): W;
}

type Codec<T, W> = Pick<Field<T, W>, 'kind' | 'empty' | 'read' | 'serialize' | 'schema'>;
const same = <T>(value: T): T => value;
const field = <T, W>(codec: Codec<T, W>, use: Use = {}): Field<T, W> => ({ write: same, ...codec, ...use });

const isNone = (stored: unknown): stored is null | undefined => stored === null || stored === undefined;
const orNull =
  <T>(read: (stored: unknown) => T) =>
  (stored: unknown): T | null =>
    isNone(stored) ? null : read(stored);

/** The id of the row, or the id of another row that is never missing. */
export const id = (use?: Use): Field<number, number> =>
  field({ kind: 'number', empty: false, read: Number, serialize: same, schema: integer }, use);
export const count = id;
/** The id of another row, or none. */
export const ref = (use?: Use): Field<number | null, number | null> =>
  field(
    { kind: 'number', empty: true, read: orNull(Number), serialize: same, schema: nullable(integer) },
    use,
  );

/** One word of a closed list. */
export const word = <const L extends readonly string[]>(list: L, use?: Use): Field<L[number], L[number]> =>
  field(
    // written by us only
    { kind: 'text', empty: false, read: (stored) => String(stored), serialize: same, schema: oneOf(...list) },
    use,
  );
export const wordOrNone = <const L extends readonly string[]>(
  list: L,
  use?: Use,
): Field<L[number] | null, L[number] | null> =>
  field(
    // written by us only
    { kind: 'text', empty: true, read: orNull(String), serialize: same, schema: nullable(oneOf(...list)) },
    use,
  );
/** Text that every row has. */
export const line = (use?: Use): Field<string, string> =>
  field({ kind: 'text', empty: false, read: String, serialize: same, schema: string }, use);
export const text = (use?: Use): Field<string | null, string | null> =>
  field(
    {
      kind: 'text',
      empty: true,
      read: (stored) => (typeof stored === 'string' ? stored : null),
      serialize: same,
      schema: nullable(string),
    },
    use,
  );

/** Minor units in the column `x_minor`, shown as the amount `x`. */
export const amount = (use?: Use): Field<Minor, number> =>
  field({ kind: 'amount', empty: false, read: readMinor, serialize: toWire, schema: number }, use);
export const amountOrNone = (use?: Use): Field<Minor | null, number | null> =>
  field(
    {
      kind: 'amount',
      empty: true,
      read: orNull(readMinor),
      serialize: (value, currency) => (value === null ? null : toWire(value, currency)),
      schema: nullable(number),
    },
    use,
  );
/** A rate × 10 000 in the column `x_e4`, shown as `x`; null where another rate applies. */
export const rate = (use?: Use): Field<number | null, number | null> =>
  field(
    {
      kind: 'number',
      empty: true,
      read: orNull(Number),
      serialize: (value) => (value === null ? null : rateToWire(value)),
      schema: nullable(number),
    },
    use,
  );
const readMinor = (stored: unknown): Minor => minor(Number(stored));

export const time = (use?: Use): Field<number, string> =>
  field(
    { kind: 'time', empty: false, read: Number, serialize: (value) => toIso(value), schema: dateTime },
    use,
  );
export const timeOrNone = (use?: Use): Field<number | null, string | null> =>
  field(
    { kind: 'time', empty: true, read: orNull(Number), serialize: (value) => toIso(value), schema: dateTime },
    use,
  );

/** Stored as 0 or 1. */
export const flag = (use?: Use): Field<boolean, boolean> => ({
  ...field(
    {
      kind: 'number',
      empty: false,
      read: (stored) => Number(stored) !== 0,
      serialize: same,
      schema: boolean,
    },
    use,
  ),
  write: Number,
});

/** A value stored as JSON text; null where there is none or it cannot be read. */
export const json = <T>(schema: TSchema = anyObject): Field<T | null, T | null> => ({
  ...field({
    kind: 'text',
    empty: true,
    read: (stored) => readJson<T | null>(stored, null),
    serialize: same,
    schema: nullable(schema),
  }),
  write: (value) => (value === null ? null : JSON.stringify(value)),
});

/** Like `json`, with a value for rows where there is none or it cannot be read. */
export const jsonOr = <T>(none: T, schema: TSchema, use?: Use): Field<T, T> => ({
  ...field(
    {
      kind: 'text',
      empty: false,
      read: (stored) => readJson<T>(stored, none),
      serialize: same,
      schema,
    },
    use,
  ),
  write: JSON.stringify,
});

/** A column that no response shows. */
export const inside = <T>(of: Field<T, unknown>): Field<T, never> =>
  ({ ...of, inside: true }) as Field<T, never>;
/** A column that responses show by a function of its own. */
export const shown = <T, const S extends TSchema>(
  of: Field<T, unknown>,
  schema: S,
  serialize: (value: T) => Static<S>,
): Field<T, Static<S>> => ({ ...of, schema, serialize });
