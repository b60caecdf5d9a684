import { cleanHtml } from '../../core/html.js';
import { cleanText } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { isHttpUrl } from '../../core/address.js';
import type { SiteSettings } from './types.js';

type Checked =
  | { readonly kind: 'read'; readonly value: string | number }
  | { readonly kind: 'refused'; readonly rule: string; readonly says: string };
type Rule = (input: unknown) => Checked;

const ok = (value: string | number): Checked => ({ kind: 'read', value });
const no = (rule: string, says: string): Checked => ({ kind: 'refused', rule, says });

const length = (text: string): number => Array.from(text).length;
const wordsOf = (input: unknown): string =>
  typeof input === 'string' || typeof input === 'number' ? String(input) : '';
const isScalar = (input: unknown): boolean =>
  input === null || ['string', 'number', 'boolean'].includes(typeof input);

const words =
  (clean: (text: string) => string, min: number, max: number): Rule =>
  (input) => {
    const value = clean(wordsOf(input));
    if (length(value) < min) return no('required', 'Use some text.');
    return length(value) > max ? no('max', `Use at most ${max} characters.`) : ok(value);
  };
const choice =
  (...known: readonly string[]): Rule =>
  (input) =>
    known.includes(String(input)) ? ok(String(input)) : no('in', `Choose one of: ${known.join(', ')}.`);

const flag: Rule = (input) => {
  if ([true, 1, 'yes', 'true', '1'].includes(input as string)) return ok('yes');
  return [false, 0, 'no', 'false', '0'].includes(input as string) ? ok('no') : no('in', 'Use yes or no.');
};

const days: Rule = (input) => {
  const value = typeof input === 'string' && input.trim() === '' ? Number.NaN : Number(input);
  if (!Number.isSafeInteger(value)) return no('numeric', 'Use a whole number.');
  if (value < 1) return no('min', 'Use 1 or more.');
  return value > 3650 ? no('max', 'Use at most 3650.') : ok(value);
};

/** The rules of the primary's own referral variable. */
const variable: Rule = (input) => {
  const value = wordsOf(input).trim();
  if (value === '') return no('required', 'Use letters, - or _.');
  if (!/^[A-Za-z_-]+$/.test(value)) return no('format', 'Use letters, - or _.');
  return value.length > 50 ? no('max', 'Use at most 50 characters.') : ok(value);
};

const address: Rule = (input) => {
  const value = wordsOf(input).trim();
  if (value.length > 2048) return no('max', 'Use at most 2048 characters.');
  return value === '' || isHttpUrl(value) ? ok(value) : no('url', 'Use an http or https address.');
};

const RULES: Readonly<Record<keyof SiteSettings, Rule>> = {
  site_title: words(cleanText, 1, 191),
  param_key: variable,
  cookie_duration: days,
  credit_last_referrer: flag,
  status: choice('active', 'inactive'),
  logo: address,
  description: words(cleanHtml, 0, 5000),
  subtitle: words(cleanText, 0, 191),
};

/**
 * The known settings among the input, each checked and in its stored form; 422 with every field that fails.
 */
export function checkSettings(input: Readonly<Record<string, unknown>>): Partial<SiteSettings> {
  const check = new FieldCheck();
  const settings: Record<string, string | number> = {};
  for (const [name, rule] of Object.entries(RULES)) {
    const value = input[name];
    if (value === undefined) continue;
    const result: Checked = isScalar(value) ? rule(value) : no('string', 'Use a text or a number.');
    if (result.kind === 'read') settings[name] = result.value;
    else check.add(name, result.rule, result.says);
  }
  check.throwIfAny();
  return settings;
}
