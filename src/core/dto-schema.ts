import type { Static, TSchema, TUnsafe } from 'typebox';
import type { JsonMap } from './is-map.js';
import { Type } from './type.js';

export type { Static, TSchema };

// The forms of values in responses, as JSON Schema.

export const integer = Type.Integer();
export const number = Type.Number();
/** A number with a sentence for the documents. */
export const numberOf = (description: string): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'number', description });
export const string = Type.String();
export const stringOf = (maxLength: number): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', maxLength });
export const boolean = Type.Boolean();
export const oneOf = <const T extends readonly string[]>(...values: T): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values });
export const array = <const S extends TSchema>(
  items: S,
  options: { readonly maxItems?: number } = {},
): TUnsafe<readonly Static<S>[]> => Type.Unsafe<readonly Static<S>[]>({ type: 'array', items, ...options });
export const nullable = <const S extends TSchema>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] });
/** `2026-01-15T15:00:00+00:00` or null. */
export const dateTime = nullable(
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$' }),
);
/**
 * A map whose keys are not fixed: answers to questions that an administrator has added, data of providers and
 * extensions.
 */
export const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
});
/** A map in responses: `[]` when it is empty, an object otherwise. */
export const mapOrEmptyList = Type.Unsafe<Readonly<Record<string, unknown>> | readonly never[]>({
  anyOf: [anyObject, { type: 'array', items: { type: 'string' }, maxItems: 0 }],
});
/** The value for `mapOrEmptyList`. */
export const mapOrList = (map: JsonMap): JsonMap | readonly never[] =>
  Object.keys(map).length === 0 ? [] : map;
export const yesNo = oneOf('yes', 'no');
/** A number; text for clients that compare ids as texts (option `compat`). */
export const wireIdOf = Type.Unsafe<number | string>({ type: ['integer', 'string'] });
/** A whole number, or `""` where none is set. */
export const numberOrBlank = Type.Unsafe<number | ''>({
  anyOf: [{ type: 'integer' }, { type: 'string', enum: [''] }],
});
/** A rate: 0 or more, at most 4 decimals; a number or decimal text, read by core/rate. */
export const rate: TUnsafe<string | number> = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  rate: true,
});
/**
 * An amount: 0 or more, at most 99,999,999,999.99; a number or decimal text, rounded later in its currency by
 * core/money.
 */
export const money: TUnsafe<string | number> = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  money: true,
});
/** A number, or text where the figure is already formatted. */
export const numberOrText = Type.Unsafe<number | string>({ type: ['number', 'string'] });
/** Gives a schema a name, by which OpenAPI and the typed client refer to it. */
export const named = <const S extends TSchema>(name: string, schema: S): S => ({
  ...schema,
  component: name,
});
