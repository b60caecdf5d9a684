import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERRORS } from '../../src/errors.js';
import { ROOT } from '../support/sources.js';

type Entry = string | Readonly<Record<string, string>>;
const LOCALES = ['de', 'es', 'fr', 'ar'] as const;
const PARTS = ['shared', 'admin'] as const;
/** Parts whose texts are all there. */
const COMPLETE: ReadonlySet<string> = new Set(['shared', 'admin']);
const CONSOLE = join(ROOT, 'console');

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.tsx?$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

const LITERAL = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;
const valueOf = (literal: string): string =>
  literal.startsWith("'") ? literal.slice(1, -1).replaceAll("\\'", "'") : (JSON.parse(literal) as string);

/** English texts a part of the pages uses: whole sentences, and the plural form of those with a number. */
function usedIn(part: string): { readonly plain: ReadonlySet<string>; readonly plural: ReadonlySet<string> } {
  const texts = sourcesIn(join(CONSOLE, part)).join('\n');
  const plain = [...texts.matchAll(new RegExp(String.raw`(?<![\w.])t\(\s*${LITERAL}`, 'g'))].map(
    ([, literal]) => valueOf(literal ?? "''"),
  );
  const plural = [
    ...texts.matchAll(new RegExp(String.raw`(?<![\w.])tn\(\s*${LITERAL},\s*${LITERAL}`, 'g')),
  ].map(([, , literal]) => valueOf(literal ?? "''"));
  return { plain: new Set(plain), plural: new Set(plural) };
}

const catalogue = (part: string, locale: string): Readonly<Record<string, Entry>> => {
  const file = join(CONSOLE, part, 'texts', `${locale}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Entry>>) : {};
};

/** Words of the interface that `word()` shows; they come from data, not from a call. */
const FROM_DATA = 'words';
/** What the service refuses, by its code. */
const REFUSED = 'errors';

it.each(PARTS)('of data have the same words in every language, in %s', (part) => {
  const words = LOCALES.map((locale) => Object.keys(catalogue(part, locale)[FROM_DATA] ?? {}));
  expect(words.map((names) => names.toSorted())).toEqual(LOCALES.map(() => words[0]?.toSorted()));
});

it('of refusals are of codes there are, the same in every language', () => {
  const codes = LOCALES.map((locale) => Object.keys(catalogue('shared', locale)[REFUSED] ?? {}).toSorted());
  expect(codes[0]!.length).toBeGreaterThan(50);
  expect(codes[0]!.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  expect(codes).toEqual(LOCALES.map(() => codes[0]));
});

describe.each(LOCALES)('texts in %s', (locale) => {
  const shared = usedIn('shared');
  it.each(PARTS)('leave none over, and are complete where they have to be, in %s', (part) => {
    const own = usedIn(part);
    const wanted = [...own.plain, ...own.plural].filter(
      (key) => part === 'shared' || !(shared.plain.has(key) || shared.plural.has(key)),
    );
    const { [FROM_DATA]: _, [REFUSED]: _refused, ...given } = catalogue(part, locale);
    expect({
      missing: COMPLETE.has(part) ? wanted.filter((key) => given[key] === undefined).toSorted() : [],
      unused: Object.keys(given)
        .filter((key) => !own.plain.has(key) && !own.plural.has(key))
        .toSorted(),
    }).toEqual({ missing: [], unused: [] });
  });

  it.each(PARTS)('keep what is filled in, and have every plural form, in %s', (part) => {
    const { plural } = usedIn(part);
    const holes = (text: string): string[] =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted();
    const needed = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    const { [FROM_DATA]: _, [REFUSED]: _refused, ...given } = catalogue(part, locale);
    for (const [key, entry] of Object.entries(given)) {
      if (typeof entry === 'string') expect([key, holes(entry)]).toEqual([key, holes(key)]);
      else
        expect([
          key,
          plural.has(key),
          needed.filter((category) => entry[category] === undefined && category !== 'many'),
        ]).toEqual([key, true, []]);
    }
  });
});
