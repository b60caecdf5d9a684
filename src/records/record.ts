import type { TUnsafe } from 'typebox';
import type { Row } from '../platform/database/db.js';
import type { TableName } from '../../adapters/database/tables.js';
import { FieldCheck } from '../errors.js';
import type { Field } from './fields.js';
import type { Entry } from './form.js';
import type { ListSpec, SortKey } from './list.js';
import type { SearchKind, SearchSpec } from './search.js';

export type Fields = Readonly<Record<string, Field<unknown, unknown>>>;
type Value<F> = F extends Field<infer T, unknown> ? T : never;
type SerializedValue<F> = F extends { serialize(value: never, currency: string): infer W } ? W : never;
/** Amounts and rates are stored under the name of their unit. */
type ApiName<K> = K extends `${infer Name}_minor` | `${infer Name}_e4` ? Name : K;

/** The values in the program. */
export type ValuesOf<F> = { readonly [K in keyof F]: Value<F[K]> };
/** The values in responses, in the order of the columns. */
export type DtoOf<F> = {
  readonly [K in keyof F as [SerializedValue<F[K]>] extends [never] ? never : ApiName<K>]: SerializedValue<
    F[K]
  >;
};
type FormColumn<F> = {
  [K in keyof F & string]: F[K] extends { readonly form: Entry<unknown> } ? K : never;
}[keyof F & string];
/** The values read from a form. */
export type FormValues<F> = Pick<ValuesOf<F>, FormColumn<F>>;
/** A form as it was sent. */
export type FormOf<S> =
  S extends RecordSpec<infer F> ? { readonly [K in FormColumn<F> as ApiName<K>]?: unknown } : never;
export type FormValuesOf<S> = S extends RecordSpec<infer F> ? FormValues<F> : never;

export type RecordOf<S> = S extends RecordSpec<infer F> ? ValuesOf<F> : never;

/** What the console's tables and forms know of a column. */
export interface ColumnFacts {
  /** A word is one of a closed list. */
  readonly kind: SearchKind | 'word';
  /** The server sorts by it. */
  readonly sort: boolean;
  /** Tables offer it, even where their screen does not name it. */
  readonly listed: boolean;
  /** So do their filters. */
  readonly filter: boolean;
  /** The owner of the row sees it in the portal. */
  readonly portal: boolean;
  /** The most characters of a text in a form. */
  readonly max?: number;
}

/** A record, described once by its columns. Everything that lists columns is made from it. */
export interface RecordSpec<F> extends ListSpec<ValuesOf<F>> {
  readonly search: SearchSpec;
  /** Columns that filters may name, by their names in responses. */
  readonly filters: Readonly<Record<string, { readonly column: string; readonly kind: SearchKind }>>;
  /** The fields of forms, by their names. */
  readonly form: { readonly [K in FormColumn<F> as ApiName<K>]: Entry<ValuesOf<F>[K]> };
  /** Columns with a use, by their names in responses. */
  readonly uses: Readonly<Record<'export' | 'import' | 'portal', readonly string[]>>;
  /** Reads what an import gives for these columns, in stored form; null for a value that cannot be used. */
  imported(given: Readonly<Record<string, unknown>>): ImportedColumns;
  readonly facts: Readonly<Record<string, ColumnFacts>>;
  /** Those of the values that the audit log stores. */
  audited(values: Partial<ValuesOf<F>>): Readonly<Record<string, unknown>>;
  /** Columns that may be empty, emptied, except these: what an erasure sets. */
  emptied(kept: readonly (keyof F & string)[]): Partial<ValuesOf<F>>;
  /** Those of the values that forms can set. */
  editable(values: ValuesOf<F>): FormValues<F>;
  /** Reads a form column by column, amounts in this currency. Rules between columns are the module's. */
  readForm(check: FieldCheck, form: Readonly<Record<string, unknown>>, currency?: string): FormReader<F>;
  /** These values in stored form; absent ones are omitted. */
  toRow(values: Partial<ValuesOf<F>>): Row;
  present(record: ValuesOf<F>, currency?: string): DtoOf<F>;
  /** The schema of each column that responses show, by its name there. */
  readonly wire: { readonly [K in keyof DtoOf<F>]: TUnsafe<DtoOf<F>[K]> };
}

export interface FormReader<F> {
  read<K extends FormColumn<F>>(column: K, required?: boolean): ValuesOf<F>[K];
  /** All columns of a form: values that were decided before, else the form's value, else the stored one. */
  values(stored: FormValues<F> | null, decided: Partial<FormValues<F>>): FormValues<F>;
}

export interface ImportedColumns {
  readonly row: Row;
  /** Names of the values that could not be used. */
  readonly unusable: readonly string[];
}

export function record<const F extends Fields>(table: TableName, fields: F): RecordSpec<F> {
  const entries = Object.entries(fields);
  const visible = entries
    .filter(([, { inside }]) => inside !== true)
    .map(([column, field]) => ({ column, field, name: wireName(column) }));
  const forms = entries.flatMap(([column, field]) =>
    field.form === undefined ? [] : [{ column, field, form: field.form, name: wireName(column) }],
  );
  return {
    table,
    columns: Object.keys(fields),
    wire: Object.fromEntries(visible.map(({ field, name }) => [name, field.schema])) as RecordSpec<F>['wire'],
    sort: sortKeys(entries),
    search: searchSpec(entries),
    filters: Object.fromEntries(
      entries.flatMap(([column, { filter, kind }]) =>
        filter === true ? [[wireName(column), { column, kind }]] : [],
      ),
    ),
    fromRow(row) {
      const values: Row = {};
      for (const [column, field] of entries) values[column] = field.read(row[column]);
      return values as ValuesOf<F>;
    },
    toRow(values) {
      const row: Row = { ...values };
      for (const [column, field] of entries)
        if (row[column] !== undefined) row[column] = field.write(row[column]);
      return row;
    },
    emptied(kept) {
      const values: Row = {};
      for (const [column, field] of entries)
        if (field.empty && !(kept as readonly string[]).includes(column)) values[column] = field.read(null);
      return values as Partial<ValuesOf<F>>;
    },
    form: Object.fromEntries(forms.map(({ name, form }) => [name, form])) as RecordSpec<F>['form'],
    uses: {
      export: using(entries, 'export'),
      import: using(entries, 'import'),
      portal: using(entries, 'portal'),
    },
    imported(given) {
      const read = forms
        .filter(({ field }) => field.import === true)
        .map(({ column, field, form, name }) => {
          const check = new FieldCheck();
          const value = form.read({ check, name, value: given[name], required: false, currency: '' });
          return { column, name, isUsable: check.isEmpty, stored: check.isEmpty ? field.write(value) : null };
        });
      return {
        row: Object.fromEntries(read.map(({ column, stored }) => [column, stored])),
        unusable: read.flatMap(({ isUsable, name }) => (isUsable ? [] : [name])),
      };
    },
    facts: Object.fromEntries(
      visible.map(({ field, name }) => [
        name,
        {
          kind: 'enum' in field.schema ? 'word' : field.kind,
          sort: field.sort !== undefined,
          listed: field.export === true,
          filter: field.filter === true,
          portal: field.portal === true,
          ...(field.form?.max !== undefined && { max: field.form.max }),
        },
      ]),
    ),
    audited: (values) =>
      Object.fromEntries(
        entries.flatMap(([column, { audit }]) =>
          audit === true && column in values ? [[column, (values as Row)[column]]] : [],
        ),
      ),
    editable: (values) =>
      Object.fromEntries(forms.map(({ column }) => [column, (values as Row)[column]])) as FormValues<F>,
    readForm(check, form, currency = '') {
      const read = (column: string, required = false): unknown => {
        const name = wireName(column);
        return fields[column]?.form?.read({ check, name, value: form[name], required, currency });
      };
      return {
        read: read as FormReader<F>['read'],
        values: (stored, decided) =>
          Object.fromEntries(
            forms.map(({ column, name }) => {
              if (Object.hasOwn(decided, column)) return [column, (decided as Row)[column]];
              const isSilent = stored !== null && form[name] === undefined;
              return [column, isSilent ? (stored as Row)[column] : read(column)];
            }),
          ) as FormValues<F>,
      };
    },
    present(values, currency = '') {
      const wire: Row = {};
      for (const { column, field, name } of visible)
        wire[name] = field.serialize((values as Row)[column], currency);
      return wire as DtoOf<F>;
    },
  };
}

type Entries = readonly (readonly [column: string, field: Field<unknown, unknown>])[];
const using = (entries: Entries, use: 'export' | 'import' | 'portal'): string[] =>
  entries.filter(([, field]) => field[use] === true).map(([column]) => wireName(column));
const wireName = (column: string): string => column.replace(/_(?:minor|e4)$/u, '');

const sortKeys = (entries: Entries): Readonly<Record<string, SortKey>> =>
  Object.fromEntries(
    entries.flatMap(([column, { sort, empty }]) =>
      sort === undefined ? [] : [[wireName(column), sort === true ? { by: column, nullable: empty } : sort]],
    ),
  );

function searchSpec(entries: Entries): SearchSpec {
  const kinds = (which: (field: Field<unknown, unknown>) => boolean): Readonly<Record<string, SearchKind>> =>
    Object.fromEntries(
      entries.flatMap(([column, field]) => (which(field) ? [[wireName(column), field.kind]] : [])),
    );
  const { id: _anyway, ...columns } = kinds(({ find }) => find !== undefined);
  return { anywhere: kinds(({ find }) => find === 'anywhere'), columns };
}
