import type { Type as TypeBox } from 'typebox';

type Builder = Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Integer' | 'Number' | 'Object' | 'Optional' | 'Record' | 'String' | 'Unsafe'
>;
type Schema = Readonly<Record<string, unknown>>;

const OPTIONAL = '~optional';
const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

function object(properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function record(key: Schema, value: Schema, options: Schema = {}): Schema {
  return { type: 'object', patternProperties: { [String(key['pattern'] ?? '^.*$')]: value }, ...options };
}

/**
 * The builders of TypeBox that we use, with TypeBox's types and results: plain JSON Schema. Only the types of
 * TypeBox are imported, since loading it takes longer than loading this library.
 */
export const Type: Builder = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Number: ofType('number'),
  String: ofType('string'),
  Object: object,
  Record: record,
  // Not enumerable, so that a copy of the schema is required again.
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Builder;
