import { isMap } from '../../core/is-map.js';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { fieldName, fieldNameFirst } from '../../core/field-name.js';
import { LINE, LINES } from '../../core/text.js';
import { failFields, type FieldErrors } from '../../errors.js';
import { addKeywords } from './keywords.js';
import { type Plain } from './limits.js';
import { normalize, type Schema } from './normalize.js';

const MAX_ERRORS = 100;

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  messages: false,
});
addKeywords(ajv);

/**
 * Checks input against the schemas of routes. Each schema is compiled once for all services, when its route
 * is first used.
 */
export class Validator {
  compile(schema: TSchema): ValidateFunction {
    return ajv.compile(schema);
  }

  /** The input in the form of its schema; throws 422 with every broken rule of every field. */
  read(schema: TSchema, input: Plain): unknown {
    const value = normalize(schema, input);
    const check = this.compile(schema);
    const errors = check(value) ? [] : (check.errors ?? []);
    const fields: FieldErrors = {};
    for (const [path, rule, text] of [...blankRequired(schema, value), ...errors.flatMap(failure)].slice(
      0,
      MAX_ERRORS,
    )) {
      (fields[path] ??= {})[rule] ??= text;
    }
    if (Object.keys(fields).length > 0) failFields(fields);
    return value;
  }

  /**
   * Path parameters in the form of their schema; null when an id is invalid, which makes the address unknown.
   */
  readParams(schema: TSchema, params: Readonly<Record<string, string>>): unknown {
    const properties = (schema as Schema).properties ?? {};
    const isWhole = Object.entries(properties).every(
      ([name, { type }]) => type !== 'integer' || /^\d{1,16}$/.test(params[name] ?? ''),
    );
    const value = normalize(schema, params);
    return isWhole && this.compile(schema)(value) ? value : null;
  }
}

type Failure = readonly [field: string, rule: string, text: string];

/** A required text that is blank breaks the rule `required`, in addition to others. */
function blankRequired(schema: Schema, value: unknown, path: readonly string[] = []): Failure[] {
  if (!isMap(value)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]): Failure[] => {
    const here = [...path, name];
    if (value[name] === '' && inner.type === 'string' && schema.required?.includes(name))
      return [required(here.join('.'))];
    return blankRequired(inner, value[name], here);
  });
}

const required = (field: string): Failure => [field, 'required', `Enter ${fieldName(field)}.`];

function failure(error: ErrorObject): Failure[] {
  const field = fieldOf(error);
  if (error.keyword === 'required') return [required(field)];
  const rule = ruleOf(error);
  return rule === null ? [] : [[field, rule, textOf(rule, field, error)]];
}

/**
 * `config.items.0.amount`. Names that are no plain words are omitted, because the keys of open maps come from
 * the request.
 */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const segments = instancePath.split('/').slice(1);
  if (keyword === 'required') segments.push(String(params['missingProperty']));
  const odd = segments.findIndex((segment) => !/^[\w-]{1,64}$/.test(segment));
  return (odd < 0 ? segments : segments.slice(0, odd)).join('.') || 'body';
}

const RULES: Readonly<Record<string, string>> = {
  minLength: 'min',
  minimum: 'min',
  exclusiveMinimum: 'min',
  minItems: 'min',
  minProperties: 'min',
  maxLength: 'max',
  maximum: 'max',
  exclusiveMaximum: 'max',
  maxItems: 'max',
  maxProperties: 'max',
  enum: 'in',
  const: 'in',
  pattern: 'format',
  format: 'format',
  multipleOf: 'numeric',
  uniqueItems: 'distinct',
  propertyNames: 'format',
};
const TYPE_RULES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'numeric',
  number: 'numeric',
  array: 'array',
  object: 'array',
  boolean: 'boolean',
};

function ruleOf({ keyword, params }: ErrorObject): string | null {
  if (keyword === 'type') {
    const types = [params['type']]
      .flat()
      .map((type) => TYPE_RULES[String(type)])
      .filter((rule) => rule !== undefined);
    // The null branch of a nullable field also fails, but the error of the other branch is more helpful.
    return types.find((rule) => rule === 'numeric') ?? types[0] ?? null;
  }
  // A union adds nothing to the failures of its branches.
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if') return null;
  return typeof params['rule'] === 'string' ? params['rule'] : (RULES[keyword] ?? 'format');
}

/** How many choices an error names at most. */
const LISTED_MAX = 12;

function choiceText(name: string, { keyword, params }: ErrorObject): string {
  if (keyword === 'flag') return `${name} must be yes or no.`;
  const choices = ((params['allowedValues'] ?? []) as readonly unknown[]).map(String);
  return choices.length > 0 && choices.length <= LISTED_MAX
    ? `${name} must be one of: ${choices.filter((choice) => choice !== '').join(', ')}.`
    : `${name} must be one of the choices.`;
}

/** `have at most 5 entries`, `be at most 100`; null when the rule has no number. */
function amountOf({ keyword, params }: ErrorObject): { readonly verb: string; readonly text: string } | null {
  const limit = params['limit'] as number | undefined;
  if (limit === undefined) return null;
  if (keyword.endsWith('Length')) return { verb: 'have', text: `${limit} characters` };
  if (keyword.endsWith('Items')) return { verb: 'have', text: limit === 1 ? '1 entry' : `${limit} entries` };
  return { verb: 'be', text: String(limit) };
}

function textOf(rule: string, field: string, error: ErrorObject): string {
  const { keyword, params } = error;
  const name = fieldNameFirst(field);
  if (keyword === 'minLength' && params['limit'] === 1) return `Enter ${fieldName(field)}.`;
  const amount = amountOf(error);
  const texts: Readonly<Record<string, string>> = {
    string: `${name} must be text.`,
    numeric: `${name} must be a number.`,
    array: `${name} must be ${params['type'] === 'object' ? 'an object' : 'a list'}.`,
    boolean: `${name} must be yes or no.`,
    min: `${name} must ${amount === null ? 'be 0 or more' : `${amount.verb} at least ${amount.text}`}.`,
    max: `${name} must ${amount === null ? 'be smaller' : `${amount.verb} at most ${amount.text}`}.`,
    in: choiceText(name, error),
    email: `${name} must be an e-mail address.`,
    url: `${name} must begin with http:// or https://.`,
    date: `${name} must be a date such as 2026-01-31.`,
    distinct: `${name} must not repeat entries.`,
    line: LINE.says,
    characters: LINES.says,
  };
  return texts[rule] ?? `${name} is not valid.`;
}
