import { isMap } from '../../core/is-map.js';
import { HTML } from '../../core/html.js';
import { cut, LINE, LINES, plainLine, type TextKind } from '../../core/text.js';
import { isNo, isYes } from '../../core/yes-no.js';
import { asList } from './form.js';
import { type Plain } from './limits.js';

// Converts input to the form of its schema before ajv validates it, so that JSON and form bodies give the
// same object. Unknown keys are removed, defaults added, texts trimmed before their length is checked, and
// strings of forms become numbers, lists and booleans. Nothing is refused here: what does not fit is left
// unchanged and fails validation.

/** The parts of a schema that are read here. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly clean?: 'text' | 'textarea' | 'html';
  /** The words of a lenient filter; a route that hands out rows takes no others. */
  readonly words?: readonly string[];
  readonly lenient?: 'page' | 'per_page' | 'search' | 'word' | 'direction';
  readonly flag?: boolean;
  readonly money?: boolean;
  readonly rate?: boolean;
  readonly day?: boolean;
  /** Only for the document: the shape of a field that the service checks itself, and the name of a record. */
  readonly shape?: Schema;
  readonly component?: string;
  /** Only for the document: fields that the service demands by a rule of its own. */
  readonly demanded?: readonly string[];
}

const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
// A checkbox sends on. A list is never a yes, although its text may be.
const isOn = (value: unknown): boolean => value === 'on' || (typeof value !== 'object' && isYes(value));
const isOff = (value: unknown): boolean => value === 'off' || (typeof value !== 'object' && isNo(value));
export const TEXT_KINDS = {
  text: LINE,
  textarea: LINES,
  html: HTML,
} as const satisfies Readonly<Record<string, TextKind>>;

/** The value in the form of its schema; `undefined` when it counts as not sent. */
export function normalize(schema: Schema, value: unknown): unknown {
  if (schema.lenient) return lenient(schema, value);
  const result = value === undefined ? undefined : shaped(schema, value);
  return result === undefined ? structuredClone(schema.default) : result;
}

function shaped(schema: Schema, value: unknown): unknown {
  if (schema.flag) return toFlag(value);
  if (schema.anyOf) return union(schema.anyOf, value);
  const types = typesOf(schema);
  if (types.length === 0 && !schema.enum) return value;
  if (value === null) return types.includes('null') ? null : undefined;
  if (value === '') return blank(schema, types);
  if (types.includes('array')) return list(schema, value);
  if (types.includes('object')) return object(schema, value);
  return scalar(schema, types, value);
}

export const typesOf = (schema: Schema): readonly string[] =>
  schema.type === undefined ? [] : typeof schema.type === 'string' ? [schema.type] : schema.type;

// Forms send null and "not chosen" as "". Except for text, both mean absent (docs/interface.md §1.1, §4).
function blank(schema: Schema, types: readonly string[]): unknown {
  const isText = types.includes('string') && !schema.money && !schema.rate && !schema.day;
  if (isText && (!schema.enum || schema.enum.includes(''))) return '';
  if (types.includes('null')) return null;
  return types.includes('array') ? [] : undefined;
}

function scalar(schema: Schema, types: readonly string[], value: unknown): unknown {
  if (typeof value === 'string' && schema.clean) {
    const kind = TEXT_KINDS[schema.clean];
    return kind.fits(value) ? kind.read(value) : value;
  }
  if (schema.money || schema.rate || types.includes('string')) return value;
  if (types.includes('boolean')) return isOn(value) ? true : isOff(value) ? false : value;
  if (typeof value === 'string' && NUMERIC.test(value.trim())) return Number(value);
  return value;
}

function list(schema: Schema, value: unknown): unknown {
  const items = schema.items ?? {};
  const isNumeric = typesOf(items).some((type) => type === 'integer' || type === 'number');
  const entries = asList(value);
  if (!Array.isArray(entries)) return isNumeric && !isMap(value) ? [normalize(items, value)] : value;
  return entries.map((entry) => normalize(items, entry)).filter((entry) => entry !== undefined);
}

function object(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return object(schema, {});
  if (!isMap(value)) return value;
  const known = schema.properties ?? {};
  const result: Plain = {};
  for (const [key, inner] of Object.entries(known))
    set(result, key, normalize(inner, Object.hasOwn(value, key) ? value[key] : undefined));
  const rest = restSchema(schema);
  if (rest)
    for (const key of Object.keys(value))
      if (!Object.hasOwn(known, key)) set(result, key, normalize(rest, value[key]));
  return result;
}

function restSchema({ additionalProperties: rest, patternProperties }: Schema): Schema | null {
  if (patternProperties) return Object.values(patternProperties)[0] ?? null;
  if (rest === true) return {};
  return rest === undefined || rest === false ? null : rest;
}

function set(target: Plain, key: string, value: unknown): void {
  if (value !== undefined && key !== '__proto__') target[key] = value;
}

function union(branches: readonly Schema[], value: unknown): unknown {
  const isNullable = branches.some((branch) => typesOf(branch).includes('null'));
  if (value === null) return isNullable ? null : undefined;
  const others = branches.filter((branch) => !typesOf(branch).includes('null'));
  const only = others.length === 1 ? others[0] : undefined;
  if (!only) return value;
  const inner = normalize(only, value);
  return inner === undefined && isNullable ? null : inner;
}

function toFlag(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  const spelling = typeof value === 'string' ? value.trim().toLowerCase() : value;
  return isOn(spelling) ? 'yes' : isOff(spelling) ? 'no' : value;
}

// Paging and sorting never fail a request: an invalid value is replaced by the default
// (docs/interface.md §3).
function lenient(schema: Schema, value: unknown): unknown {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (schema.lenient === 'page') return wholeNumber(text, 1, 2 ** 31 - 1) ?? schema.default;
  if (schema.lenient === 'per_page') return perPage(text) ?? schema.default;
  if (schema.lenient === 'search') return cut(plainLine(text), 200);
  if (schema.lenient === 'direction')
    return /^(?:asc|desc)$/i.test(text) ? text.toUpperCase() : schema.default;
  return /^\w{1,64}$/.test(text) ? text : schema.default;
}

function wholeNumber(text: string, min: number, max: number): number | null {
  const number = /^\+?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : null;
}

function perPage(text: string): number | null {
  return /^[+-]?\d{1,15}$/.test(text) ? Math.min(200, Math.max(1, Number(text))) : null;
}
