import type { TObject, TProperties, TSchema, TUnsafe } from 'typebox';
import { Type } from '../core/type.js';

export { Type };

// Shared schemas. A TypeBox schema is plain JSON Schema: it feeds ajv, OpenAPI and, through Static<>, the handler's types.
// Keywords of ours (http/keywords.ts): `clean` (text, textarea, html) strips before lengths are checked, `flag` turns every
// accepted spelling into yes/no, `money` and `rate` check decimal text or numbers and leave them as sent,
// `email`, `httpUrl`, `day` name the rule that failed.

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
/** ≥ 0, at most 99,999,999,999.99; number or decimal text, rounded later in its currency by core/money. */
export const money: TUnsafe<string | number> = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  money: true,
});
/** ≥ 0, ≤ 4 decimals; number or decimal text, read by core/rate. */
export const rate: TUnsafe<string | number> = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  rate: true,
});
export const oneOf = <const T extends readonly string[]>(...values: T): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values });
/** A list of ids; numeric strings and a single value are taken too, absent and blank mean none. */
export const idList: TUnsafe<number[]> = Type.Unsafe<number[]>({ type: 'array', items: Id, maxItems: 5000 });
export const optional = Type.Optional;
/** A list filter by a word: cleaned and cut like a search, blank for none; it never fails a request. */
export const filterWord: TUnsafe<string> = Type.Unsafe<string>({ lenient: 'search', default: '' });
/** Accepted as it is; the service judges it (cross-field rules, fields ignored in some states). */
export const anything: TUnsafe<unknown> = Type.Unsafe<unknown>({});

/** Paging and sorting input; unknown values fall back instead of failing (conventions.md §4). */
export interface ListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly order_by: string;
  readonly order_type: 'ASC' | 'DESC';
}

/** `listQuery(10, { status: optional(anything) })`: the schema keyword `lenient` makes bad paging values fall back to the default. */
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

// Answers. They are checked in tests and printed in OpenAPI, not enforced in production.
export const object = Type.Object;
export const array = Type.Array;
export const integer = Type.Integer();
export const number = Type.Number();
export const string = Type.String();
export const boolean = Type.Boolean();
export const nullable = (schema: TSchema): TUnsafe<unknown> =>
  Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] });
/** `2026-01-15T15:00:00+00:00` or null. */
export const dateTime = nullable(
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$' }),
);
export const anyObject = Type.Object({}, { additionalProperties: true });
/** `[]` when empty, an object otherwise (the wire's way of empty maps). */
export const mapOrEmptyList = Type.Unsafe<unknown>({
  anyOf: [anyObject, Type.Array(Type.Unsafe({}), { maxItems: 0 })],
});

/** The page envelope around rows of this schema. */
export const pageOf = (row: TSchema): TObject =>
  Type.Object({
    current_page: integer,
    data: Type.Array(row),
    first_page_url: string,
    from: nullable(integer),
    last_page: integer,
    last_page_url: string,
    links: Type.Array(Type.Object({ url: nullable(string), label: string, active: boolean })),
    next_page_url: nullable(string),
    path: string,
    per_page: integer,
    prev_page_url: nullable(string),
    to: nullable(integer),
    total: integer,
  });

// Records that answers of several modules carry.

/** The host's user as lists show it; all but the id are empty for a user the host no longer knows. */
export const hostUser = Type.Object({
  ID: nullable(integer),
  user_login: string,
  user_email: string,
  user_url: string,
  display_name: string,
  full_name: string,
  photo: string,
});
/** Name and address of an affiliate; only the ids for a user the host no longer knows. */
export const userDetails = Type.Object({
  affiliate_id: integer,
  user_id: optional(nullable(integer)),
  full_name: optional(string),
  edit_url: optional(string),
  email: optional(string),
  avatar: optional(string),
  website: optional(string),
  user_name: optional(string),
});
/** The rate that counts for an affiliate and where it comes from. */
export const rateDetails = Type.Object({
  type: string,
  rate: number,
  is_custom: string,
  is_default: optional(string),
  human_readable: string,
  group: optional(anyObject),
});
/** A number; text for clients that compare ids as texts (option `compat`). */
export const wireIdOf = Type.Unsafe<number | string>({ type: ['integer', 'string'] });
export const affiliateColumns = {
  id: integer,
  contact_id: nullable(integer),
  user_id: nullable(integer),
  group_id: nullable(wireIdOf),
  rate: nullable(number),
  total_earnings: number,
  unpaid_earnings: number,
  referrals: integer,
  visits: integer,
  lead_counts: integer,
  rate_type: string,
  custom_param: nullable(string),
  payment_email: nullable(string),
  status: string,
  settings: Type.Object({ disable_new_ref_email: string, bank_details: string }),
  custom_fields: mapOrEmptyList,
  note: nullable(string),
  created_at: dateTime,
  updated_at: dateTime,
};
/** The affiliate inside another record. */
export const nestedAffiliate = Type.Object({
  ...affiliateColumns,
  user_details: userDetails,
  user: nullable(hostUser),
});
export const visitColumns = {
  id: integer,
  affiliate_id: nullable(integer),
  user_id: nullable(integer),
  referral_id: nullable(integer),
  url: string,
  referrer: nullable(string),
  utm_campaign: nullable(string),
  utm_medium: nullable(string),
  utm_source: nullable(string),
  ip: nullable(string),
  created_at: dateTime,
  updated_at: dateTime,
};
export const referralColumns = {
  id: integer,
  affiliate_id: nullable(integer),
  parent_id: nullable(integer),
  customer_id: nullable(integer),
  visit_id: nullable(integer),
  description: nullable(string),
  status: string,
  amount: number,
  order_total: nullable(number),
  currency: nullable(string),
  utm_campaign: nullable(string),
  provider: nullable(string),
  provider_id: anything,
  provider_sub_id: nullable(string),
  products: nullable(array(anything)),
  payout_transaction_id: nullable(integer),
  payout_id: nullable(integer),
  type: string,
  settings: nullable(anyObject),
  payable_at: dateTime,
  created_at: dateTime,
  updated_at: dateTime,
};
/** What a visit shows of a referral it led to. */
export const referralOfVisit = Type.Object({
  id: integer,
  visit_id: integer,
  status: string,
  amount: number,
  currency: string,
});
export const customerColumns = {
  id: integer,
  user_id: nullable(integer),
  by_affiliate_id: nullable(integer),
  email: nullable(string),
  first_name: nullable(string),
  last_name: nullable(string),
  ip: nullable(string),
  settings: anything,
  created_at: dateTime,
  updated_at: dateTime,
  full_name: string,
  photo: string,
};
