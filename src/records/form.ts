import { fieldName, fieldNameFirst } from '../core/field-name.js';
import { readId } from '../core/id.js';
import { EMAIL_MAX, isEmail, isHttpUrl, URL_MAX } from '../core/address.js';
import { readDecimal } from '../core/decimal.js';
import { minor, parseAmount, type Minor } from '../core/money.js';
import { cut, LINE, LINES, type TextKind } from '../core/text.js';
import { money, nullable, oneOf, stringOf, wireIdOf } from '../core/dto-schema.js';
import type { Entry, FieldInput } from './entry.js';
import type { Field } from './fields.js';

export type { Entry, FieldInput } from './entry.js';

/** A column that forms may name. */
export const inForm = <T, W>(of: Field<T, W>, form: Entry<T>): Field<T, W> & { readonly form: Entry<T> } => ({
  ...of,
  form,
});

/** Absent, null and "" all mean "not given", because HTML forms send null as "". */
export const isMissing = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

export const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** One of a closed list. */
export const choice = <const L extends readonly string[]>(list: L): Entry<L[number]> => ({
  schema: oneOf(...list),
  read({ check, name, value }) {
    const found = list.find((word) => word === value);
    if (isMissing(value)) check.add(name, 'required', `Choose ${fieldName(name)}.`);
    else if (found === undefined)
      check.add(name, 'in', `${fieldNameFirst(name)} must be one of: ${list.join(', ')}.`);
    return found ?? (list[0] as L[number]);
  },
});

/** A line of text; null for none. */
export const shortText = (max: number): Entry<string | null> => ({
  schema: nullable(stringOf(max)),
  hint: `At most ${max} characters`,
  max,
  read: (input) => readText(input, max, LINE) || null,
});

/** A line of text, "" for none. */
export const lineOf = (max: number, hint = `At most ${max} characters`): Entry<string> => ({
  schema: stringOf(max),
  hint,
  max,
  read: (input) => readText(input, max, LINE),
});

/** Without Intl, because its tables take 20 ms to load and every start builds these texts. */
const withCommas = (number: number): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** Several lines of text; null and "" are different. */
export const longText = (max: number): Entry<string | null> =>
  orNull({
    schema: stringOf(max),
    hint: `At most ${withCommas(max)} characters`,
    max,
    read: (input) => readText(input, max, LINES),
  });

/** An http or https address, "" for none. */
export const webAddress = (hint: string): Entry<string> => ({
  schema: stringOf(URL_MAX),
  hint,
  max: URL_MAX,
  read(input) {
    const text = readText(input, URL_MAX, LINE);
    if (text !== '' && !isHttpUrl(text))
      input.check.add(input.name, 'url', `${fieldNameFirst(input.name)} must be an http or https address.`);
    return text;
  },
});

/** Accepts null too, where there is none. */
export const orNull = <T>(entry: Entry<T>): Entry<T | null> => ({
  ...entry,
  schema: nullable(entry.schema),
  read: (input) => (input.value === undefined || input.value === null ? null : entry.read(input)),
});

/** Text of at most this many characters, counted as people do, in code points. */
export function readText({ check, name, value, required }: FieldInput, max: number, kind: TextKind): string {
  if (!isMissing(value) && !isScalar(value))
    check.add(name, 'string', `${fieldNameFirst(name)} must be text.`);
  const given = isScalar(value) ? String(value) : '';
  const text = kind.read(given);
  if (!kind.fits(given)) check.add(name, kind.rule, kind.says);
  if (text === '' && required) check.add(name, 'required', `${fieldNameFirst(name)} must not be empty.`);
  if (cut(text, max) !== text)
    check.add(name, 'max', `${fieldNameFirst(name)} must have at most ${max} characters.`);
  return text;
}

/** An e-mail address; null for none. */
export const email = (hint: string): Entry<string | null> => ({
  schema: nullable(stringOf(EMAIL_MAX)),
  hint,
  max: EMAIL_MAX,
  read({ check, name, value, required }) {
    const address = isScalar(value) ? String(value).trim() : '';
    const isText = isMissing(value) || isScalar(value);
    const isBad = address === '' ? !isText || (required && typeof value === 'string') : !isEmail(address);
    if (address === '' && required) check.add(name, 'required', `${fieldNameFirst(name)} is required.`);
    if (address.length > EMAIL_MAX)
      check.add(name, 'max', `${fieldNameFirst(name)} must have at most ${EMAIL_MAX} characters.`);
    else if (isBad) check.add(name, 'email', `${fieldNameFirst(name)} is not valid.`);
    return address || null;
  },
});

/** An amount of 0 or more, in the currency of its row. */
export const amountInput: Entry<Minor> = {
  schema: money,
  read({ check, name, value, currency }) {
    const decimal = isScalar(value) ? readDecimal(value) : null;
    const amount = isScalar(value) ? parseAmount(value, currency) : null;
    if (isMissing(value)) check.add(name, 'required', `Enter ${fieldName(name)}.`);
    else if (decimal === null) check.add(name, 'numeric', `${fieldNameFirst(name)} must be a number.`);
    else if (decimal.units < 0n) check.add(name, 'min', `${fieldNameFirst(name)} must be 0 or more.`);
    else if (amount === null) check.add(name, 'max', `${fieldNameFirst(name)} is too large.`);
    return amount ?? minor(0);
  },
};

/** The id of another row; null for none (0, "" and null). */
export const idOrNone = (hint: string): Entry<number | null> => ({
  schema: nullable(wireIdOf),
  hint,
  read({ check, name, value }) {
    if (isMissing(value) || value === 0 || value === '0') return null;
    const id = readId(value);
    if (id === null) check.add(name, 'numeric', `${fieldNameFirst(name)} must be an ID.`);
    return id;
  },
});
