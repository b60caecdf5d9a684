import { cleanHtml } from '../../core/html.js';
import { cleanText } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { isHttpUrl } from '../../core/address.js';
import { read, refused, whole, word, yesOrNo, type Checked } from '../../records/checked.js';
import type { SiteSettings } from './types.js';

type Rule = (input: unknown) => Checked<string | number>;

const length = (text: string): number => Array.from(text).length;
const wordsOf = (input: unknown): string =>
  typeof input === 'string' || typeof input === 'number' ? String(input) : '';
const isScalar = (input: unknown): boolean =>
  input === null || ['string', 'number', 'boolean'].includes(typeof input);

const words =
  (clean: (text: string) => string, min: number, max: number): Rule =>
  (input) => {
    const value = clean(wordsOf(input));
    if (length(value) < min) return refused('required', 'Use some text.');
    return length(value) > max ? refused('max', `Use at most ${max} characters.`) : read(value);
  };
/** The same rules as for the primary's referral variable. */
const variable: Rule = (input) => {
  const value = wordsOf(input).trim();
  if (value === '') return refused('required', 'Use letters, - or _.');
  if (!/^[A-Za-z_-]+$/.test(value)) return refused('format', 'Use letters, - or _.');
  return value.length > 50 ? refused('max', 'Use at most 50 characters.') : read(value);
};

const address: Rule = (input) => {
  const value = wordsOf(input).trim();
  if (value.length > 2048) return refused('max', 'Use at most 2048 characters.');
  return value === '' || isHttpUrl(value) ? read(value) : refused('url', 'Use an http or https address.');
};

const RULES: Readonly<Record<keyof SiteSettings, Rule>> = {
  site_title: words(cleanText, 1, 191),
  param_key: variable,
  cookie_duration: whole(1, 3650),
  credit_last_referrer: yesOrNo,
  status: word('active', 'inactive'),
  logo: address,
  description: words(cleanHtml, 0, 5000),
  subtitle: words(cleanText, 0, 191),
};

/** Those of the input that are known, checked and in stored form; 422 with every wrong field. */
export function checkSettings(input: Readonly<Record<string, unknown>>): Partial<SiteSettings> {
  const check = new FieldCheck();
  const settings: Record<string, string | number> = {};
  for (const [name, rule] of Object.entries(RULES)) {
    const value = input[name];
    if (value === undefined) continue;
    const result = isScalar(value) ? rule(value) : refused('string', 'Use a text or a number.');
    if (result.kind === 'read') settings[name] = result.value;
    else check.add(name, result.rule, result.says);
  }
  check.throwIfAny();
  return settings;
}
