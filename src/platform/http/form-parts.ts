import { isPlain, type Plain } from './limits.js';

/**
 * A list or map that a form holds. Form encoding has no empty lists: one that was emptied is simply absent.
 * In a form body that holds its sibling `beside`, an absent part is therefore empty;
 * in JSON absent means unchanged.
 */
export interface FormPart {
  /** Path of names: `config.custom_affiliate_rates`. */
  readonly name: string;
  /** Path of a field that the same form always sends. */
  readonly beside: string;
  readonly kind: 'list' | 'map';
}

/** The parts a route's form holds; a function where they depend on what is configured. */
export type FormParts<A> =
  | readonly FormPart[]
  | ((fields: Plain, app: A) => readonly FormPart[] | Promise<readonly FormPart[]>);

/** The fields of a form body with its emptied lists and maps put back. */
export async function withEmptied<A>(app: A, parts: FormParts<A>, fields: Plain): Promise<Plain> {
  const known = typeof parts === 'function' ? await parts(fields, app) : parts;
  return known.reduce((filled, { name, beside, kind }) => {
    if (valueAt(filled, beside) === undefined || valueAt(filled, name) !== undefined) return filled;
    return withValue(filled, name.split('.'), kind === 'list' ? [] : {});
  }, fields);
}

function valueAt(fields: unknown, path: string): unknown {
  let value = fields;
  for (const name of path.split('.'))
    value = isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function withValue(fields: Plain, [name = '', ...rest]: readonly string[], value: unknown): Plain {
  const inner = fields[name];
  return {
    ...fields,
    [name]: rest.length === 0 ? value : withValue(isPlain(inner) ? inner : {}, rest, value),
  };
}
