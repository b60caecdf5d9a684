import type { TSchema } from 'typebox';
import { isHttpUrl } from '../../core/address.js';
import { variableProblem } from '../../core/link-variable.js';
import { HTML } from '../../core/html.js';
import { LINE, type TextKind } from '../../core/text.js';
import { numberOrText, oneOf, string, yesNo } from '../../core/dto-schema.js';
import { read, refused, whole, word, yesOrNo, type ReadResult } from '../../records/checked.js';
import { isScalar as isTextOrNumber, type Entry } from '../../records/form.js';

// How each setting of a site is read from a form.

export const SITE_STATUSES = ['active', 'inactive'] as const;
export type SiteStatus = (typeof SITE_STATUSES)[number];

const isScalar = (input: unknown): boolean =>
  input === null || typeof input === 'boolean' || isTextOrNumber(input);
const textOf = (input: unknown): string => (isTextOrNumber(input) ? String(input) : '');

/** A setting that this rule reads; `none` is the value to continue with after a refusal. */
const setting = <T>(schema: TSchema, none: T, rule: (input: unknown) => ReadResult<T>): Entry<T> => ({
  schema,
  read({ check, name, value }) {
    const result = isScalar(value) ? rule(value) : refused('string', 'Use a text or a number.');
    if (result.kind === 'read') return result.value;
    check.add(name, result.rule, result.says);
    return none;
  },
});

const words = (kind: TextKind, min: number, max: number): Entry<string> =>
  setting(string, '', (input) => {
    const value = kind.read(textOf(input));
    if (!kind.fits(textOf(input))) return refused(kind.rule, kind.says);
    const { length } = Array.from(value);
    if (length < min) return refused('required', 'Use some text.');
    return length > max ? refused('max', `Use at most ${max} characters.`) : read(value);
  });

export const title = words(LINE, 1, 191);
export const subtitle = words(LINE, 0, 191);
export const description = words(HTML, 0, 5000);

/** The same rules as for the primary's referral variable. */
export const variable = setting(string, '', (input) => {
  const value = textOf(input).trim();
  const problem = variableProblem(value);
  return problem === null ? read(value) : refused(problem.rule, problem.says);
});

export const address = setting(string, '', (input) => {
  const value = textOf(input).trim();
  if (value.length > 2048) return refused('max', 'Use at most 2048 characters.');
  return value === '' || isHttpUrl(value) ? read(value) : refused('url', 'Use an http or https address.');
});

export const days = setting(numberOrText, 0, whole(1, 3650));
export const yes = setting(yesNo, 'no', yesOrNo);
export const status = setting<SiteStatus>(oneOf(...SITE_STATUSES), 'inactive', word(...SITE_STATUSES));
