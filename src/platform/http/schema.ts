import type { ExportRow } from '../../core/page.js';
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import { SUB_ID_MAX } from '../../core/sub-ids.js';
import { Type } from '../../core/type.js';
import { array, boolean, integer, nullable, string } from '../../core/dto-schema.js';

export {
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  money,
  named,
  nullable,
  number,
  oneOf,
  rate,
  string,
} from '../../core/dto-schema.js';
export { Type };

// Shared schemas. A TypeBox schema is plain JSON Schema: ajv and OpenAPI use it, and Static<> makes the
// handler's types of it. Our own keywords (http/keywords.ts): `clean` (text, textarea, html) cleans text
// before lengths are checked; `flag` turns every accepted spelling into yes or no; `money` and `rate` check
// decimal text or numbers and leave them unchanged; `email`, `httpUrl` and `day` name the rule that failed.
// Only openapi.ts reads `shape` and `component`.

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
/** `YYYY-MM-DD`; a blank value counts as absent. */
export const day: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', day: true });
/** Accepts several spellings and becomes `yes` or `no`. */
export const flag: TUnsafe<'yes' | 'no'> = Type.Unsafe<'yes' | 'no'>({ flag: true });
/** A list of ids. Numeric strings and a single value are accepted too; absent and blank mean none. */
export const idList: TUnsafe<number[]> = Type.Unsafe<number[]>({ type: 'array', items: Id, maxItems: 5000 });
export const optional = Type.Optional;
/**
 * A filter by a word, cleaned and shortened like a search; blank means no filter. It never fails a request.
 */
export const filterWord: TUnsafe<string> = Type.Unsafe<string>({ lenient: 'search', default: '' });
/** Like `filterWord`, for a column of words. An export refuses any other word, since it would hand out every row. */
export const filterOf = (...words: readonly string[]): TUnsafe<string> =>
  Type.Unsafe<string>({ lenient: 'search', default: '', words });
/**
 * Accepted as it is sent and checked by the service, because its rules depend on other fields, on the stored
 * row or on settings. The shape appears in the document and the typed client.
 */
export const deferred = (shape: TSchema, description?: string): TUnsafe<unknown> =>
  Type.Unsafe<unknown>({ shape, ...(description !== undefined && { description }) });
/** The columns of a record that a form may contain, each `deferred`; each of them may be missing. */
export const formOf = <Name extends string>(
  entries: Readonly<Record<Name, { readonly schema: TSchema; readonly hint?: string }>>,
): { readonly [Each in Name]: TOptional<TUnsafe<unknown>> } =>
  Object.fromEntries(
    Object.entries<{ readonly schema: TSchema; readonly hint?: string }>(entries).map(
      ([name, { schema, hint }]) => [name, optional(deferred(schema, hint))],
    ),
  ) as { readonly [Each in Name]: TOptional<TUnsafe<unknown>> };
/** Like `deferred`, for a map: that it is a map is checked here, its content by the service. */
export const deferredMap = (shape: TSchema): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, shape });
/** Paging and sorting; unknown values are replaced by the default and never fail. */
export interface ListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly order_by: string;
  readonly order_type: 'ASC' | 'DESC';
}

/**
 * For example `listQuery(10, { status: optional(anything) })`. With the keyword `lenient`, invalid paging
 * values are replaced by the default.
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

/** `order_by` of a list over a record, with the possible names. For any other name the default is used. */
export const sortedBy = ({ sort }: { readonly sort: Readonly<Record<string, unknown>> }) => ({
  order_by: Type.Unsafe<string>({
    lenient: 'word',
    default: '',
    description: `One of: ${Object.keys(sort).join(', ')}`,
  }),
});

/** Days of creation, both included. */
export const dayFilters = { date_from: optional(day), date_to: optional(day) };
/** Filters that lists and exports of records share: days of creation, and an affiliate. */
export const recordFilters = { ...dayFilters, affiliate_id: optional(Id) };
const subId = optional(text(SUB_ID_MAX));
/** Sub ids of links, each compared as a whole. */
export const subIdFilters = { sub1: subId, sub2: subId, sub3: subId, sub4: subId, sub5: subId };

// Schemas of responses. Tests check them and OpenAPI shows them; they are not enforced in production.
export const object = Type.Object;
/** A map from text to values of one kind. */
export const mapOf = <const S extends TSchema>(value: S): TUnsafe<Readonly<Record<string, Static<S>>>> =>
  Type.Unsafe<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: value });

const cell = Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] });
/** The JSON form of an export: its rows under their name, limited to the first thousands. */
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
