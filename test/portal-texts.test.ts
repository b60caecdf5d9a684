import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nachaFile, sepaFile, wisePayer } from '../adapters/index.js';
import { readText, ROOT } from './support/sources.js';

// Every text of the portal is in every language, and no catalog holds one that nobody asks for.

type Catalog = Record<string, string | Record<string, string>>;
const LOCALES = ['de', 'es', 'fr', 'ar'] as const;

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readText(join(folder, name)));

const TEXT = String.raw`'((?:[^'\\]|\\.)*)'`;
const plain = new RegExp(String.raw`\bt\(\s*${TEXT}`, 'g');
const counted = new RegExp(String.raw`\btn\(\s*${TEXT},\s*${TEXT}`, 'g');
const used = new Map<string, 'plain' | 'counted'>();
for (const source of sources('console/portal')) {
  for (const [, key = ''] of source.matchAll(plain)) used.set(key, 'plain');
  for (const [, , key = ''] of source.matchAll(counted)) used.set(key, 'counted');
}

const holes = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).toSorted();

/** What the forms of the built-in payers ask for; names are the same in every language. */
const NAMES = ['IBAN', 'Wise'];
const asked = [
  sepaFile({ name: 'Fernway', iban: 'DE89370400440532013000' }),
  nachaFile({ routing: '091000019', bankName: 'Bank', companyId: '1123456789', companyName: 'Fernway' }),
  wisePayer({ token: 't', profileId: '1', sourceCurrency: 'EUR' }),
].flatMap(({ title, details }) => [
  title,
  ...Object.values(typeof details === 'object' ? details.schema : {}).flatMap(({ label, choices = [] }) => [
    label,
    ...choices.map((choice) => choice.charAt(0).toUpperCase() + choice.slice(1)),
  ]),
]);

describe.each(LOCALES)('texts of the portal in %s', (locale) => {
  const { words = {}, ...catalog } = JSON.parse(readText(`console/portal/texts/${locale}.json`)) as Catalog;

  const shared = JSON.parse(readText(`console/shared/texts/${locale}.json`)) as Catalog;

  it("have the words of the payers' forms", () => {
    expect(Object.keys(words).toSorted()).toEqual(
      [...new Set(asked)].filter((name) => !NAMES.includes(name)).toSorted(),
    );
  });

  it('are complete, and none is left over', () => {
    expect(used.size).toBeGreaterThan(200);
    expect([...used.keys()].filter((key) => !(key in catalog) && !(key in shared))).toEqual([]);
    expect(Object.keys(catalog).filter((key) => !used.has(key))).toEqual([]);
  });

  it('fill the same places as the English ones', () => {
    const broken = Object.entries(catalog).filter(
      ([key, value]) =>
        typeof value === 'string' && JSON.stringify(holes(value)) !== JSON.stringify(holes(key)),
    );
    expect(broken).toEqual([]);
  });

  it('have every form of number the language knows', () => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    // Forms of millions (Spanish, French) read as the general one; Arabic needs none for 0.
    const needed = forms.filter((form) => (locale === 'ar' ? form !== 'zero' : form !== 'many'));
    for (const [key, kind] of used)
      if (kind === 'counted')
        expect(Object.keys({ ...shared, ...catalog }[key] ?? {})).toEqual(expect.arrayContaining(needed));
  });
});
