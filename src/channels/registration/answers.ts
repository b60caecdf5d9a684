import { parseDay } from '../../core/dates.js';
import { cut, escapeHtml, LINE, LINES, type TextKind } from '../../core/text.js';
import { own } from '../../core/own.js';
import type { FieldCheck } from '../../errors.js';
import { asList } from '../../platform/http/form.js';
import { isEmail, isHttpUrl } from '../../core/address.js';
import { normalize } from '../../platform/http/normalize.js';
import { read, refused, type ReadResult } from '../../records/checked.js';
import type { FieldType, RegistrationField, Submitted } from './types.js';

const TEXT_MAX = 255;
const TEXTAREA_MAX = 5000;
const URL_MAX = 2048;

type Reader = (text: string, field: RegistrationField) => ReadResult;

const ofKind =
  (kind: TextKind, max: number): Reader =>
  (given) => {
    const text = kind.read(given);
    if (!kind.fits(given)) return refused(kind.rule, 'has characters that cannot be stored');
    return cut(text, max) === text ? read(text) : refused('max', `must have at most ${max} characters`);
  };
const oneOf: Reader = (text, { options = [] }) =>
  options.includes(text.trim()) ? read(text.trim()) : refused('in', 'must be one of the options');

/** How answers of each type are read from text; readValue reads lists and check boxes. */
const READERS: Partial<Record<FieldType, Reader>> = {
  text: ofKind(LINE, TEXT_MAX),
  textarea: ofKind(LINES, TEXTAREA_MAX),
  number: (text) =>
    /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text.trim()) && text.length <= 30
      ? read(Number(text))
      : refused('numeric', 'must be a number'),
  date: (text) =>
    parseDay(text.trim()) === null ? refused('date', 'must be a date such as 2026-01-31') : read(text.trim()),
  url: (text) =>
    text.length <= URL_MAX && isHttpUrl(text.trim())
      ? read(text.trim())
      : refused('url', 'must be an http or https address'),
  email: (text) => (isEmail(text.trim()) ? read(text.trim()) : refused('email', 'must be an e-mail address')),
  select: oneOf,
  radio: oneOf,
};

/**
 * The answers to these fields, by name. A field that was not sent is omitted, a blank one is stored blank;
 * both are errors when the field is required.
 */
export function readAnswers(
  check: FieldCheck,
  fields: readonly RegistrationField[],
  submitted: Submitted,
): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const field of fields.filter(({ type }) => type !== 'raw_html' && type !== 'password')) {
    const given = own(submitted, field.name);
    const answer = readValue(field, given);
    const name = escapeHtml(field.label || field.name);
    if (answer.kind === 'refused') check.add(field.name, answer.rule, `${name} ${answer.says}.`);
    else if (isBlank(answer.value) && field.required === 'yes')
      check.add(
        field.name,
        'required',
        field.name === 'terms_condition' ? 'Please accept the terms.' : `${name} is required.`,
      );
    else if (given !== undefined) answers[field.name] = answer.value;
  }
  return answers;
}

const isBlank = (value: unknown): boolean =>
  value === '' ||
  value === null ||
  value === undefined ||
  value === 'no' ||
  (Array.isArray(value) && value.length === 0);

function readValue(field: RegistrationField, given: unknown): ReadResult {
  if (field.type === 'multiselect') return readChoices(given, field.options ?? []);
  if (field.type === 'inline_checkbox') return readBox(given);
  if (given === undefined || given === null || given === '') return read(field.type === 'number' ? null : '');
  if (typeof given !== 'string' && typeof given !== 'number') return refused('string', 'must be text');
  const reader = READERS[field.type];
  return reader === undefined || String(given).trim() === '' ? read('') : reader(String(given), field);
}

function readChoices(given: unknown, options: readonly string[]): ReadResult {
  const list = asList(given === undefined || given === null || given === '' ? [] : given);
  const chosen: readonly unknown[] = Array.isArray(list) ? list : [list];
  const known = options.filter((option) =>
    chosen.some((one) => typeof one === 'string' && one.trim() === option),
  );
  return known.length === new Set(chosen).size ? read(known) : refused('in', 'must be some of the options');
}

function readBox(given: unknown): ReadResult {
  const flag = normalize({ flag: true }, given) ?? 'no';
  return flag === 'yes' || flag === 'no' ? read(flag) : refused('in', 'must be ticked or not');
}
