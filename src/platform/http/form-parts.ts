import { isMap } from '../../core/is-map.js';
import { type Plain } from './limits.js';

/**
 * A list or map in a form. Form encoding has no empty lists, so an emptied one is missing. When a form body
 * contains the field `beside`, a missing part is therefore empty. In JSON a missing part means unchanged.
 */
export interface FormPart {
  /** The path, such as `config.custom_affiliate_rates`. */
  readonly name: string;
  /** The path of a field that the same form always sends. */
  readonly sentWith: string;
  readonly kind: 'list' | 'map';
}

/** The parts of a route's form; a function when they depend on the configuration. */
export type FormParts<A> =
  readonly FormPart[] | ((fields: Plain, app: A) => readonly FormPart[] | Promise<readonly FormPart[]>);

/** Adds the emptied lists and maps to the fields of a form body. */
export async function withEmptied<A>(app: A, parts: FormParts<A>, fields: Plain): Promise<Plain> {
  const known = typeof parts === 'function' ? await parts(fields, app) : parts;
  return known.reduce((filled, { name, sentWith, kind }) => {
    if (valueAt(filled, sentWith) === undefined || valueAt(filled, name) !== undefined) return filled;
    return withValue(filled, name.split('.'), kind === 'list' ? [] : {});
  }, fields);
}

function valueAt(fields: unknown, path: string): unknown {
  let value = fields;
  for (const name of path.split('.'))
    value = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function withValue(fields: Plain, [name = '', ...rest]: readonly string[], value: unknown): Plain {
  const inner = fields[name];
  return {
    ...fields,
    [name]: rest.length === 0 ? value : withValue(isMap(inner) ? inner : {}, rest, value),
  };
}
