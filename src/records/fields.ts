import { toIso } from '../core/dates.js';
import { readJson } from '../core/json.js';
import { minor, toWire, type Minor } from '../core/money.js';
import { rateToWire } from '../core/rate.js';
import type { SortKey } from './list.js';
import type { SearchKind } from './search.js';

/** What a list can do with a column. */
export interface Use {
  /** True, or what to sort by where it is not the column itself. */
  readonly sort?: true | SortKey;
  /** Found by `column:text` and `column=text`, or by an ordinary search too. */
  readonly find?: 'column' | 'anywhere';
  /** Taken by filters with an operator. */
  readonly filter?: true;
}

/**
 * One column: `T` is what the program works with, `W` what answers show;
 * never for a column that stays inside.
 */
export interface Field<T, W> extends Use {
  readonly kind: SearchKind;
  /** It may be null. */
  readonly empty: boolean;
  readonly inside?: true;
  read(stored: unknown): T;
  write(value: T): unknown;
  /** Amounts are shown in this currency. */
  show(value: T, currency: string): W;
}

type Codec<T, W> = Pick<Field<T, W>, 'kind' | 'empty' | 'read' | 'show'>;
const same = <T>(value: T): T => value;
const field = <T, W>(codec: Codec<T, W>, use: Use = {}): Field<T, W> => ({ write: same, ...codec, ...use });

const isNone = (stored: unknown): stored is null | undefined => stored === null || stored === undefined;
const orNull =
  <T>(read: (stored: unknown) => T) =>
  (stored: unknown): T | null =>
    isNone(stored) ? null : read(stored);

/** The id of the row, or one that every row has. */
export const id = (use?: Use): Field<number, number> =>
  field({ kind: 'number', empty: false, read: Number, show: same }, use);
export const count = id;
/** The id of another row, or none. */
export const ref = (use?: Use): Field<number | null, number | null> =>
  field({ kind: 'number', empty: true, read: orNull(Number), show: same }, use);

/** Text of a closed list, or any text that every row has. */
export const word = <T extends string = string>(use?: Use): Field<T, T> =>
  // written by us only
  field({ kind: 'text', empty: false, read: (stored) => String(stored) as T, show: same }, use);
export const text = (use?: Use): Field<string | null, string | null> =>
  field(
    { kind: 'text', empty: true, read: (stored) => (typeof stored === 'string' ? stored : null), show: same },
    use,
  );

/** Minor units in the column `x_minor`, shown as the amount `x`. */
export const amount = (use?: Use): Field<Minor, number> =>
  field({ kind: 'amount', empty: false, read: readMinor, show: toWire }, use);
export const amountOrNone = (use?: Use): Field<Minor | null, number | null> =>
  field(
    {
      kind: 'amount',
      empty: true,
      read: orNull(readMinor),
      show: (value, currency) => (value === null ? null : toWire(value, currency)),
    },
    use,
  );
/** × 10 000 in the column `x_e4`, shown as `x`; none where another rate counts. */
export const rate = (use?: Use): Field<number | null, number | null> =>
  field(
    {
      kind: 'number',
      empty: true,
      read: orNull(Number),
      show: (value) => (value === null ? null : rateToWire(value)),
    },
    use,
  );
const readMinor = (stored: unknown): Minor => minor(Number(stored));

export const time = (use?: Use): Field<number, string> =>
  field({ kind: 'time', empty: false, read: Number, show: (value) => toIso(value) }, use);
export const timeOrNone = (use?: Use): Field<number | null, string | null> =>
  field({ kind: 'time', empty: true, read: orNull(Number), show: (value) => toIso(value) }, use);

/** Stored as 0 or 1. */
export const flag = (use?: Use): Field<boolean, boolean> => ({
  ...field({ kind: 'number', empty: false, read: (stored) => Number(stored) !== 0, show: same }, use),
  write: Number,
});

/** Stored as text; null where there is none, or nothing that can be read. */
export const json = <T>(): Field<T | null, T | null> => ({
  ...field({ kind: 'text', empty: true, read: (stored) => readJson<T | null>(stored, null), show: same }),
  write: (value) => (value === null ? null : JSON.stringify(value)),
});

/** A column that no answer shows. */
export const inside = <T>(of: Field<T, unknown>): Field<T, never> =>
  ({ ...of, inside: true }) as Field<T, never>;
/** A column that answers show in a way of its own. */
export const shown = <T, W>(of: Field<T, unknown>, show: (value: T) => W): Field<T, W> => ({ ...of, show });
