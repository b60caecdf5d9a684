import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { failFields, type FieldErrors } from '../errors.js';
import { addKeywords } from './keywords.js';
import { isPlain, type Plain } from './limits.js';
import { normalise, type Schema } from './normalise.js';

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

/** Checks input against route schemas. Each schema is compiled once for all services, when its route is first asked for. */
export class Validator {
  compile(schema: TSchema): ValidateFunction {
    return ajv.compile(schema);
  }

  /** The input in the schema's form; throws 422 with every failing rule of every field. */
  read(schema: TSchema, input: Plain): unknown {
    const value = normalise(schema, input);
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

  /** Path parameters in their schema's form, or null: an id that is none makes the address unknown. */
  readParams(schema: TSchema, params: Readonly<Record<string, string>>): unknown {
    const properties = (schema as Schema).properties ?? {};
    const isWhole = Object.entries(properties).every(
      ([name, { type }]) => type !== 'integer' || /^\d{1,16}$/.test(params[name] ?? ''),
    );
    const value = normalise(schema, params);
    return isWhole && this.compile(schema)(value) ? value : null;
  }
}

type Failure = readonly [field: string, rule: string, text: string];

const label = (field: string): string => (field.split('.').at(-1) ?? field).replaceAll('_', ' ');

/** A required text that is blank fails `required` beside whatever else it fails. */
function blankRequired(schema: Schema, value: unknown, path: readonly string[] = []): Failure[] {
  if (!isPlain(value)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]): Failure[] => {
    const here = [...path, name];
    if (value[name] === '' && inner.type === 'string' && schema.required?.includes(name))
      return [required(here.join('.'))];
    return blankRequired(inner, value[name], here);
  });
}

const required = (field: string): Failure => [field, 'required', `The ${label(field)} field is required.`];

function failure(error: ErrorObject): Failure[] {
  const field = fieldOf(error);
  if (error.keyword === 'required') return [required(field)];
  const rule = ruleOf(error);
  return rule === null ? [] : [[field, rule, textOf(rule, field, error)]];
}

/** `config.items.0.amount`; names that are no plain words (keys of open maps come from the request) are left out. */
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
    // The null branch of a nullable field fails together with the branch that tells more.
    return types.find((rule) => rule === 'numeric') ?? types[0] ?? null;
  }
  // A union adds nothing to the failures of its branches.
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if') return null;
  return typeof params['rule'] === 'string' ? params['rule'] : (RULES[keyword] ?? 'format');
}

function textOf(rule: string, field: string, { keyword, params }: ErrorObject): string {
  const name = label(field);
  const limit = params['limit'] as number | undefined;
  const unit = keyword.endsWith('Length') ? ' characters' : keyword.endsWith('Items') ? ' entries' : '';
  const texts: Readonly<Record<string, string>> = {
    string: `The ${name} must be text.`,
    numeric: `The ${name} must be a number.`,
    array: `The ${name} must be a list or a map.`,
    boolean: `The ${name} must be true or false.`,
    min: limit === undefined ? `The ${name} is too small.` : `The ${name} must be at least ${limit}${unit}.`,
    max: limit === undefined ? `The ${name} is too large.` : `The ${name} must be at most ${limit}${unit}.`,
    in: `The ${name} is not one of the allowed values.`,
    email: `The ${name} must be an e-mail address.`,
    url: `The ${name} must be an http or https address.`,
    date: `The ${name} must be a date such as 2026-01-31.`,
    distinct: `The ${name} must not repeat entries.`,
  };
  return texts[rule] ?? `The ${name} is not valid.`;
}
