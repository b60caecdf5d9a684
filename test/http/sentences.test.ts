import { describe, expect, it } from '@jest/globals';
import type { TSchema } from 'typebox';
import { fieldName } from '../../src/core/field-name.js';
import { type AffiliateError, ERRORS } from '../../src/errors.js';
import type { Schema } from '../../src/platform/http/normalize.js';
import { allRoutes } from '../../src/app/routes.js';
import { Validator } from '../../src/platform/http/validate.js';
import { sources } from '../support/sources.js';

/** Values of which some break every rule a schema can hold. */
const WRONG = [
  undefined,
  '',
  'x',
  'x'.repeat(70_000),
  -1,
  1.5,
  1e15,
  true,
  [],
  [{}],
  ['x', 'x'],
  {},
  { '?': 1 },
];
const validator = new Validator();

/** Every sentence a schema can answer with. */
function sentencesOf(schema: TSchema): Set<string> {
  const found = new Set<string>();
  const collect = (input: unknown): void => {
    try {
      validator.read(schema, input as Record<string, unknown>);
    } catch (error) {
      for (const rules of Object.values((error as AffiliateError).fields ?? {}))
        for (const text of Object.values(rules)) found.add(text);
    }
  };
  for (const path of pathsOf(schema))
    for (const wrong of WRONG) collect(path.reduceRight<unknown>(nested, wrong));
  collect({});
  return found;
}

const nested = (inner: unknown, key: string): unknown => (key === '*' ? [inner] : { [key]: inner });

function pathsOf({ properties = {}, items, anyOf = [] }: Schema): string[][] {
  const below = (key: string, inner: Schema): string[][] => [
    [key],
    ...pathsOf(inner).map((path) => [key, ...path]),
  ];
  return [
    ...Object.entries(properties).flatMap(([key, inner]) => below(key, inner)),
    ...(items ? below('*', items) : []),
    ...anyOf.flatMap(pathsOf),
  ];
}

/** What a person cannot read: names of columns, words of programs, a rule instead of a sentence. */
const UNREADABLE =
  /_|\bfield is required\b|\bundefined\b|\bnull\b|\[object|\bboolean\b|\binteger\b|\bstring\b|\barray\b|\bThe \d|\bmust be a map\b|[a-z][A-Z]/;
/** Allowed values are written as they are sent. */
const withoutChoices = (text: string): string => text.replace(/one of: .*\.$/, 'one of them.');

describe('sentences about fields', () => {
  const all = new Set(
    allRoutes().flatMap(({ body, query }) =>
      [body, query].flatMap((schema) => (schema ? [...sentencesOf(schema)] : [])),
    ),
  );

  it('are sentences a person can read, whatever is wrong with whatever is sent', () => {
    expect(all.size).toBeGreaterThan(150);
    const odd = [...all].filter((text) => !/^[A-Z].*\.$/.test(text) || UNREADABLE.test(withoutChoices(text)));
    expect(odd).toEqual([]);
  });

  it('name the field by what it is', () => {
    expect(
      ['group_id', 'affiliate_ids', 'payment_email', 'items.1.amount', 'fields.0', 'url', 'is_enabled'].map(
        fieldName,
      ),
    ).toEqual([
      'the group',
      'the affiliates',
      'the payment e-mail',
      'the amount of entry 2',
      'entry 1 of the fields',
      'the address',
      'the switch',
    ]);
    expect(all).toContain('Enter the fields.');
    expect([...all].filter((text) => text.startsWith('Enter '))).not.toEqual([]);
  });

  it('are readable in the table of errors and in the rules of modules too', () => {
    const texts = Object.values(ERRORS).map(([, text]) => text);
    const rules = sources(['src/program', 'src/accounting', 'src/attribution', 'src/channels'])
      // Orders in code are checked for programmers, who know their keys.
      .filter(({ path }) => !path.startsWith('src/attribution/conversions/'))
      .flatMap(({ text }) => [
        ...text.matchAll(/'([A-Z][^'\n]* [^'\n]*(?:required|must|may|has)\b[^'\n]*\.)'/g),
      ])
      .map(([, text = '']) => text);
    expect(rules.length).toBeGreaterThan(40);
    expect([...texts, ...rules].filter((text) => /field is required|^The \w*_\w* /.test(text))).toEqual([]);
  });
});
