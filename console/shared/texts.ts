import { isolated, numberText, percentText } from '../../src/core/figures.js';
import { boot } from './boot.js';
import { translated } from './sentences.js';

/** A translated text, or its plural forms by category of `Intl.PluralRules`. */
type Entry = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
/** Texts by their English text; `words` has words that come from data. */
export type Catalog = Readonly<Record<string, Entry>> & {
  readonly words?: Readonly<Record<string, string>>;
};
type Values = Readonly<Record<string, string | number>>;

let catalog: Catalog = {};
let words: Readonly<Record<string, string>> = {};
let plurals = new Intl.PluralRules('en');
let language = 'en';

export function useCatalogs(locale: string, parts: readonly Catalog[]): void {
  catalog = Object.assign({}, ...parts) as Catalog;
  words = Object.assign({}, ...parts.map((part) => part.words)) as Readonly<Record<string, string>>;
  plurals = new Intl.PluralRules(locale);
  language = locale;
}

/** Adds the texts of a lazy screen; existing texts, such as the host's, take precedence. */
export const addCatalog = (part: Catalog): void => {
  catalog = { ...part, ...catalog };
  words = { ...part.words, ...words };
};

/** The translated text; the key is the English text. `{name}` is replaced. */
export function t(english: string, values?: Values): string {
  const found = catalog[english];
  return fill(typeof found === 'string' ? found : english, values);
}

/** A text with a number, by its two English forms; the second is the key of the catalog's plural forms. */
export function tn(one: string, other: string, count: number, values?: Values): string {
  const found = catalog[other];
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

/** A formatted number. */
export const number = (value: number, digits = 0): string => numberText(value, boot().locale, digits);

export const percent = (value: number, digits = 1): string => percentText(value * 100, boot().locale, digits);

/** A title or sentence of the service, translated if the catalog has it. */
export const fromServer = (english: string): string => words[english] ?? t(english);

/** A translated error or success message of the service. */
export const sentence = (english: string): string => translated(english, fromServer);

/** A readable form of an API word (`bank_transfer`) without a text of its own, translated if the catalog has it. */
export function word(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return '—';
  const spaced = value.replaceAll(/[_-]+/g, ' ');
  const english = spaced.charAt(0).toUpperCase() + spaced.slice(1);
  return fromServer(english);
}

const YEAR_SECONDS = 31_536_000;

/** Stored in a cookie, because the server chooses the texts. */
export function speak(locale: string): void {
  document.cookie = `affiliate_locale=${locale}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  location.reload();
}

/** The name of a language in the language itself. */
export const nameOfLanguage = (locale: string): string =>
  new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
