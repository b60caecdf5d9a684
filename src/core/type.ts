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
 * TypeBox's builders of the kinds we use, typed by TypeBox and with its outcome: plain JSON Schema.
 * Only its types are imported, since loading it takes a host longer than loading this library.
 */
export const Type: Builder = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Number: ofType('number'),
  String: ofType('string'),
  Object: object,
  Record: record,
  // Hidden, so that a schema spread into another one is required again.
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Builder;
