import type { Ajv, FuncKeywordDefinition } from 'ajv';
import { isEmail, isHttpUrl } from '../../core/address.js';
import { parseDay } from '../../core/dates.js';
import { readDecimal, toInteger } from '../../core/decimal.js';
import { parseRate } from '../../core/rate.js';
import { TEXT_KINDS } from './normalize.js';

const MAX_AMOUNT_CENTS = 9_999_999_999_999n;

/** The rule that a value breaks, or null; gets the value of the keyword. */
type Validator = (value: unknown, input: unknown) => string | null;

/** The rule that an amount breaks, or null. */
export function amountRule(value: unknown): string | null {
  const decimal = typeof value === 'string' || typeof value === 'number' ? readDecimal(value) : null;
  if (!decimal) return 'numeric';
  if (decimal.units < 0n) return 'min';
  return decimal.scale < -20 || toInteger(decimal, 2) > MAX_AMOUNT_CENTS ? 'max' : null;
}

/** The rule that a rate breaks, or null. */
export function rateRule(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return 'numeric';
  return amountRule(value) ?? (parseRate(value) === null ? 'numeric' : null);
}

const onText =
  (rule: string, test: (text: string) => boolean): Validator =>
  (value) =>
    typeof value !== 'string' || value === '' || test(value) ? null : rule;

const VALIDATORS: Readonly<Record<string, Validator>> = {
  clean: (value, input) => {
    const { fits, rule } = TEXT_KINDS[input as keyof typeof TEXT_KINDS];
    return typeof value !== 'string' || fits(value) ? null : rule;
  },
  email: onText('email', isEmail),
  httpUrl: onText('url', isHttpUrl),
  day: onText('date', (text) => parseDay(text) !== null),
  flag: (value) => (value === 'yes' || value === 'no' ? null : 'in'),
  // Other types have already failed the keyword `type`.
  money: (value) => (typeof value === 'string' || typeof value === 'number' ? amountRule(value) : null),
  rate: (value) => (typeof value === 'string' || typeof value === 'number' ? rateRule(value) : null),
};

/** Adds the keywords of schema.ts to ajv; each reports the broken rule as `params.rule`. */
export function addKeywords(ajv: Ajv): void {
  // normalize.ts has applied the first before ajv runs; the others are for openapi.ts.
  ajv.addVocabulary(['lenient', 'words', 'shape', 'component', 'demanded']);
  for (const [keyword, validator] of Object.entries(VALIDATORS))
    ajv.addKeyword(definition(keyword, validator));
}

function definition(keyword: string, validator: Validator): FuncKeywordDefinition {
  const validate: FuncKeywordDefinition['validate'] = (input: unknown, value: unknown) => {
    const rule = validator(value, input);
    if (validate) validate.errors = rule === null ? [] : [{ keyword, params: { rule } }];
    return rule === null;
  };
  return { keyword, schemaType: keyword === 'clean' ? 'string' : 'boolean', errors: true, validate };
}
