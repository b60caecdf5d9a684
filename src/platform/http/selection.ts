import { fieldNameFirst } from '../../core/field-name.js';
import { isMap } from '../../core/is-map.js';
import { FieldCheck } from '../../errors.js';
import type { Plain } from './limits.js';
import { typesOf, type Schema } from './normalize.js';

/** Names by which a request chooses rows, also misspelled ones such as `affiliates` or `status_ids`. */
const SELECTING =
  /^(?:ids?|status(?:es)?|states?|convert_status|types?|methods?|currency|from|to|since|until|day|date|only|exclude|filters?|(?:start|end)_date|date_(?:from|to)|(?:affiliate|group|customer|user|referral|visit|transaction|payout|creative|order|product|provider|site)s?(?:_ids?)?)$/;
/** A form sends it blank when it was not chosen. */
const MAY_BE_BLANK = /^(?:(?:start|end)_date|date_(?:from|to)|day|currency)$/;
const ALL = 'all';
const LISTED_MAX = 12;

export const isSelection = (key: string): boolean => SELECTING.test(key);

/**
 * Refuses a request that pays, changes or hands out rows when what selects them is empty or cannot be read. Only an
 * absent key means all (docs/interface.md §1). `known`: the declared keys.
 */
export function checkSelection(
  given: Readonly<Plain>,
  known: Readonly<Record<string, Schema>>,
  check = new FieldCheck(),
): void {
  for (const [key, value] of Object.entries(given)) {
    if (!isSelection(key)) continue;
    const schema = known[key];
    if (schema === undefined) addUnknown(check, key, known);
    else checkValue(check, key, { value, words: wordsOf(schema) });
  }
  check.throwIfAny();
}

/** Blank, a list without entries, or a list with a blank one: the intent is unclear. */
export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(isEmpty);
  if (isMap(value)) return Object.keys(value).length === 0;
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

function addUnknown(check: FieldCheck, key: string, known: Readonly<Record<string, Schema>>): void {
  const names = Object.keys(known).filter(isSelection).join(', ');
  if (names === '') check.add(key, 'unknown', `${fieldNameFirst(key)} is not supported here.`);
  else check.add(key, 'unknown', `${fieldNameFirst(key)} is not supported here. Select by: ${names}.`);
}

function checkValue(
  check: FieldCheck,
  key: string,
  { value, words }: { readonly value: unknown; readonly words: readonly unknown[] | null },
): void {
  // the blank choice of a form
  if (value === '' && (words !== null || MAY_BE_BLANK.test(key))) return;
  if (isEmpty(value) && !MAY_BE_BLANK.test(key))
    check.add(
      key,
      'empty',
      `${fieldNameFirst(key)} is empty, so it selects nothing. Omit it to select everything.`,
    );
  else if (words !== null) checkWords(check, key, value, words);
}

function checkWords(check: FieldCheck, key: string, value: unknown, words: readonly unknown[]): void {
  const chosen: readonly unknown[] = [value].flat();
  if (chosen.every((each) => each === ALL || words.includes(typeof each === 'string' ? each.trim() : each)))
    return;
  check.add(key, 'in', `${fieldNameFirst(key)} must be one of: ${words.slice(0, LISTED_MAX).join(', ')}.`);
}

/** The words a key may have; null when it takes any text or number. */
function wordsOf(schema: Schema): readonly unknown[] | null {
  const words = schema.words ?? schema.shape?.enum ?? schema.enum;
  return words === undefined || typesOf(schema.shape ?? schema).includes('object') ? null : words;
}
