import type { ExportRow } from './export.js';
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import { Type } from '../../core/type.js';
import { array, boolean, integer, nullable, string } from '../../core/wire-schema.js';

export {
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  mapOrEmptyList,
  money,
  named,
  nullable,
  number,
  oneOf,
  rate,
  string,
} from '../../core/wire-schema.js';
export { Type };

// Shared schemas. A TypeBox schema is plain JSON Schema:
// it feeds ajv, OpenAPI and, through Static<>, the handler's types.
// Keywords of ours (http/keywords.ts): `clean` (text, textarea, html) strips before lengths are checked,
// `flag` turns every accepted spelling into yes/no, `money` and `rate` check decimal text or numbers and
// leave them as sent, `email`, `httpUrl`, `day` name the rule that failed.
// `shape` and `component` are read by openapi.ts only.

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const idParams = Type.Object({ id: Id });

export const text = (max = 255, min = 0): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', clean: 'text', minLength: min, maxLength: max });
export const textarea = (max = 5000, min = 0): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', clean: 'textarea', minLength: min, maxLength: max });
export const html = (max = 65_535): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', clean: 'html', maxLength: max });
export const email: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  clean: 'text',
  email: true,
  maxLength: 191,
});
export const httpUrl = (max = 2048): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', httpUrl: true, maxLength: max });
/** `YYYY-MM-DD`; blank counts as absent. */
export const day: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', day: true });
/** Any accepted spelling in, `yes` or `no` out. */
export const flag: TUnsafe<'yes' | 'no'> = Type.Unsafe<'yes' | 'no'>({ flag: true });
/** A list of ids; numeric strings and a single value are taken too, absent and blank mean none. */
export const idList: TUnsafe<number[]> = Type.Unsafe<number[]>({ type: 'array', items: Id, maxItems: 5000 });
export const optional = Type.Optional;
/** A list filter by a word: cleaned and cut like a search, blank for none; it never fails a request. */
export const filterWord: TUnsafe<string> = Type.Unsafe<string>({ lenient: 'search', default: '' });
/**
 * Accepted as it is sent: the service judges it, because its rules depend on other fields,
 * on the stored row or on settings. The shape is what the document and the typed client say about it.
 */
export const judged = (shape: TSchema, description?: string): TUnsafe<unknown> =>
  Type.Unsafe<unknown>({ shape, ...(description !== undefined && { description }) });
/** What a form may say of the columns of a record, as `judged`; it may leave any of them out. */
export const formOf = <Name extends string>(
  entries: Readonly<Record<Name, { readonly schema: TSchema; readonly hint?: string }>>,
): { readonly [Each in Name]: TOptional<TUnsafe<unknown>> } =>
  Object.fromEntries(
    Object.entries<{ readonly schema: TSchema; readonly hint?: string }>(entries).map(
      ([name, { schema, hint }]) => [name, optional(judged(schema, hint))],
    ),
  ) as { readonly [Each in Name]: TOptional<TUnsafe<unknown>> };
/** The same for a map: that it is one is checked here, what is in it by the service. */
export const judgedMap = (shape: TSchema): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, shape });
/** Paging and sorting input; unknown values fall back instead of failing. */
export interface ListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly order_by: string;
  readonly order_type: 'ASC' | 'DESC';
}

/**
 * `listQuery(10, { status: optional(anything) })`: the schema keyword `lenient` makes bad paging
 * values fall back to the default.
 */
export function listQuery<const T extends TProperties>(
  perPage: number,
  extra: T = {} as T,
): TObject<T & { [K in keyof ListQuery]: TUnsafe<ListQuery[K]> }> {
  return Type.Object({
    page: Type.Unsafe<number>({ lenient: 'page', default: 1 }),
    per_page: Type.Unsafe<number>({ lenient: 'per_page', default: perPage }),
    search: Type.Unsafe<string>({ lenient: 'search', default: '' }),
    order_by: Type.Unsafe<string>({ lenient: 'word', default: '' }),
    order_type: Type.Unsafe<'ASC' | 'DESC'>({ lenient: 'direction', default: 'DESC' }),
    ...extra,
  });
}

/** `order_by` of a list over a record, with the names it takes; another one sorts by the default. */
export const sortedBy = ({ sort }: { readonly sort: Readonly<Record<string, unknown>> }) => ({
  order_by: Type.Unsafe<string>({
    lenient: 'word',
    default: '',
    description: `One of: ${Object.keys(sort).join(', ')}`,
  }),
});

/**
 * What lists and exports of records can be narrowed to: days of creation, both included, and an affiliate.
 */
export const recordFilters = { date_from: optional(day), date_to: optional(day), affiliate_id: optional(Id) };

// Answers. They are checked in tests and printed in OpenAPI, not enforced in production.
export const object = Type.Object;
/** A map from text to values of one kind. */
export const mapOf = <const S extends TSchema>(value: S): TUnsafe<Readonly<Record<string, Static<S>>>> =>
  Type.Unsafe<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: value });

const cell = Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] });
/** The JSON form of an export: its rows under their name, cut after the first thousands. */
export const exportOf = <const Name extends string>(
  name: Name,
  columns: readonly string[],
): TUnsafe<Readonly<Record<Name, readonly ExportRow[]>> & { limited: boolean; total: number }> => {
  const row = Type.Object(Object.fromEntries(columns.map((column) => [column, cell])));
  return Type.Unsafe(Type.Object({ [name]: array(row), limited: boolean, total: integer }));
};

/** The page envelope around rows of this schema. */
export const pageOf = <const S extends TSchema>(row: S) =>
  Type.Object({
    current_page: integer,
    data: array(row),
    first_page_url: string,
    from: nullable(integer),
    last_page: integer,
    last_page_url: string,
    links: array(Type.Object({ url: nullable(string), label: string, active: boolean })),
    next_page_url: nullable(string),
    path: string,
    per_page: integer,
    prev_page_url: nullable(string),
    to: nullable(integer),
    total: integer,
  });
