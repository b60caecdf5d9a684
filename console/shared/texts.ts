import { isolated, numberText, percentText } from '../../src/core/figures.js';
import { boot } from './boot.js';
import { translated } from './sentences.js';

/** A translated text, or its forms by plural category of `Intl.PluralRules`. */
type Entry = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
/** Texts by their English form; below `words` those of words that come from data. */
export type Catalogue = Readonly<Record<string, Entry>> & {
  readonly words?: Readonly<Record<string, string>>;
};
type Values = Readonly<Record<string, string | number>>;

let catalogue: Catalogue = {};
let words: Readonly<Record<string, string>> = {};
let plurals = new Intl.PluralRules('en');
let language = 'en';

export function useCatalogues(locale: string, parts: readonly Catalogue[]): void {
  catalogue = Object.assign({}, ...parts) as Catalogue;
  words = Object.assign({}, ...parts.map((part) => part.words)) as Readonly<Record<string, string>>;
  plurals = new Intl.PluralRules(locale);
  language = locale;
}

/** Texts of screens that are opened rarely; those of the host, which came first, stay. */
export const addCatalogue = (part: Catalogue): void => {
  catalogue = { ...part, ...catalogue };
  words = { ...part.words, ...words };
};

/** The text in the reader's language; the key is the English text. `{name}` is filled in. */
export function t(english: string, values?: Values): string {
  const found = catalogue[english];
  return fill(typeof found === 'string' ? found : english, values);
}

/**
 * A text with a number, given with its two English forms.
 * The catalogue holds the forms below the second text.
 */
export function tn(one: string, other: string, count: number, values?: Values): string {
  const found = catalogue[other];
  const category = plurals.select(count);
  const own = typeof found === 'object' ? (found[category] ?? found.other) : found;
  const text = own ?? (category === 'one' ? one : other);
  return fill(text, { count: number(count), ...values });
}

const fill = (text: string, values?: Values): string =>
  values === undefined
    ? text
    : text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
        const value = values[name];
        return value === undefined ? whole : isolated(String(value), language);
      });

/** A whole or decimal number as the reader writes it. */
export const number = (value: number, digits = 0): string => numberText(value, boot().locale, digits);

export const percent = (value: number, digits = 1): string => percentText(value * 100, boot().locale, digits);

/** A title or sentence of the service, in the reader's language where the catalogue has it. */
export const fromServer = (english: string): string => words[english] ?? t(english);

/** A sentence of the service, an error or what it has done, in the reader's language. */
export const sentence = (english: string): string => translated(english, fromServer);

/**
 * A word of the interface (`unpaid`, `bank_transfer`) that has no text of its own:
 * shown readable instead of raw.
 */
export function word(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return '—';
  const spaced = value.replaceAll(/[_-]+/g, ' ');
  const english = spaced.charAt(0).toUpperCase() + spaced.slice(1);
  return fromServer(english);
}
