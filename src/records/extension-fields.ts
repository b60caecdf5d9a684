import type { ExtensionField } from '../core/extension-parts.js';
import type { JsonMap } from '../core/is-map.js';
import { cut, LINES } from '../core/text.js';
import { isNo, isYes } from '../core/yes-no.js';
import type { FieldCheck } from '../errors.js';

const TEXT_MAX = 1000;

export type ExtensionValue = string | number | null;

/** The value of a record that has none. */
export function blankOf({ type = 'text', options = [], default: given }: ExtensionField): ExtensionValue {
  if (given !== undefined) return given;
  if (type === 'number') return null;
  if (type === 'switch') return 'no';
  return type === 'select' ? (options[0]?.value ?? '') : '';
}

/**
 * Reads the fields of extensions from a form; absent fields have the value of `base`. Wrong values are added
 * to `check`, by `prefix` and name.
 */
export function readExtensionFields(
  fields: readonly ExtensionField[],
  { form, base, check, prefix = '' }: FieldsToRead,
): Record<string, ExtensionValue> {
  return Object.fromEntries(
    fields.map((field) => {
      const { name } = field;
      const stored = Object.hasOwn(base, name) ? (base[name] as ExtensionValue) : blankOf(field);
      if (!Object.hasOwn(form, name) || form[name] === undefined || form[name] === stored)
        return [name, stored];
      const value = readField(field, form[name]);
      if (typeof value === 'object' && value !== null) check.add(prefix + name, value.rule, value.says);
      return [name, typeof value === 'object' && value !== null ? stored : value];
    }),
  );
}

export interface FieldsToRead {
  readonly form: JsonMap;
  readonly base: JsonMap;
  readonly check: FieldCheck;
  readonly prefix?: string;
}

interface Fault {
  readonly rule: string;
  readonly says: string;
}

function readField(field: ExtensionField, given: unknown): ExtensionValue | Fault {
  const { type = 'text', options = [] } = field;
  if (type === 'number') return readNumber(given);
  if (type === 'switch') {
    if (isYes(given)) return 'yes';
    return isNo(given) ? 'no' : { rule: 'in', says: 'The value must be yes or no.' };
  }
  if (type === 'select') {
    const known = options.map(({ value }) => value);
    return known.includes(given as string)
      ? (given as string)
      : { rule: 'in', says: `The value must be one of: ${known.join(', ')}.` };
  }
  return readText(given);
}

function readNumber(given: unknown): number | null | Fault {
  if (given === null || given === '') return null;
  const number = typeof given === 'number' || typeof given === 'string' ? Number(given) : Number.NaN;
  return Number.isFinite(number) ? number : { rule: 'numeric', says: 'The value must be a number.' };
}

function readText(given: unknown): string | Fault {
  if (given !== null && typeof given !== 'string' && typeof given !== 'number')
    return { rule: 'string', says: 'The value must be text.' };
  const text = LINES.read(String(given ?? ''));
  if (!LINES.fits(text)) return { rule: LINES.rule, says: LINES.says };
  return cut(text, TEXT_MAX) === text ? text : { rule: 'max', says: `Use at most ${TEXT_MAX} characters.` };
}
