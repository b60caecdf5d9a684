import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SMART_CODES, TEMPLATES } from '../../src/channels/emails/templates.js';
import { patternOf } from '../../console/shared/sentence-pattern.js';
import { ERRORS } from '../../src/errors.js';
import { startApp } from '../support/app.js';
import { ROOT } from '../support/sources.js';

type Entry = string | Readonly<Record<string, string>>;
const LOCALES = ['de', 'es', 'fr', 'ar'] as const;
/** Catalogs of the console: `shared` of both apps, `admin`, what only settings and system say, and parts with many texts. */
const PARTS = ['shared', 'admin', 'admin/settings', 'admin/rewards', 'admin/mails'] as const;
/** The screen of the reward rules has texts of its own. */
const REWARDS = 'admin/rewards';
/** Folders whose texts are loaded with their screens, from `admin/settings/texts`. */
const LATE = [
  'admin/settings',
  'admin/system',
  'admin/guide',
  'admin/messages',
  'admin/mails',
  'admin/applications',
  'admin/giving',
  'admin/new-payout',
];
const CONSOLE = join(ROOT, 'console');

function sourcesIn(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [readFileSync(folder, 'utf8')];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.tsx?$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

const LITERAL = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;
const valueOf = (literal: string): string =>
  literal.startsWith("'") ? literal.slice(1, -1).replaceAll("\\'", "'") : (JSON.parse(literal) as string);

interface Used {
  readonly plain: ReadonlySet<string>;
  readonly plural: ReadonlySet<string>;
}

/** English texts that folders use: whole sentences, and the plural form of those with a number. */
function usedIn(...folders: readonly string[]): Used {
  const texts = folders.flatMap((folder) => sourcesIn(join(CONSOLE, folder))).join('\n');
  const plain = [...texts.matchAll(new RegExp(String.raw`(?<![\w.])t\(\s*${LITERAL}`, 'g'))].map(
    ([, literal]) => valueOf(literal ?? "''"),
  );
  const plural = [
    ...texts.matchAll(new RegExp(String.raw`(?<![\w.])tn\(\s*${LITERAL},\s*${LITERAL}`, 'g')),
  ].map(([, , literal]) => valueOf(literal ?? "''"));
  return { plain: new Set(plain), plural: new Set(plural) };
}

const catalog = (part: string, locale: string): Readonly<Record<string, Entry>> => {
  const file = join(CONSOLE, part, 'texts', `${locale}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Entry>>) : {};
};

/** Words of the interface that `word()` shows; they come from data, not from a call. */
const FROM_DATA = 'words';
it('of data are only words in English, where the texts stand in the screens', () => {
  expect(Object.keys(catalog('admin', 'en'))).toEqual([FROM_DATA]);
});
it('of data name every job', async () => {
  const t = await startApp();
  await t.service.jobs.runDue();
  const { jobs } = (await t.admin.get('/system/state').expect(200)).body;
  const names = (jobs.list as { name: string }[]).map(({ name }) => name.replaceAll('-', ' '));
  expect(names.length).toBeGreaterThan(20);
  for (const locale of LOCALES)
    expect([locale, names.filter((name) => !(capital(name) in wordsOf(locale)))]).toEqual([locale, []]);
});
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const wordsOf = (locale: string): object => Object(catalog('admin', locale)[FROM_DATA]) as object;

it.each(PARTS)('of data have the same words in every language, in %s', (part) => {
  const words = LOCALES.map((locale) => Object.keys(catalog(part, locale)[FROM_DATA] ?? {}));
  expect(words.map((names) => names.toSorted())).toEqual(LOCALES.map(() => words[0]?.toSorted()));
});

/** A participle is the same word on a button and in a state. */
const PARTICIPLE = /^(?:Done|Paid)$|ed$/;
it('of a state are not those of a deed: what is open is “Offen”, its button says “Öffnen”', () => {
  const sources = sourcesIn(CONSOLE).join('\n');
  const states = [...sources.matchAll(/\b(\w+): t\('(\w+)'\)/g)]
    .filter(([, key = '', text = '']) => key.toLowerCase() === text.toLowerCase() && !PARTICIPLE.test(text))
    .map(([, , text]) => text);
  expect(states).toContain('Draft');
  const deeds = [
    ...sources.matchAll(/<(?:Button|AppLink|Anchor|Menu\.Item)\b(?:[^<]|=>)*?>\s*\{t\('(\w+)'\)\}/g),
  ].map(([, text]) => text);
  expect(deeds).toContain('Open');
  expect(states.filter((text) => deeds.includes(text))).toEqual([]);
  const open = LOCALES.map((locale) => {
    const { Open: deed, words } = catalog('admin', locale);
    return [deed, (words as Readonly<Record<string, string>>)['Open']];
  });
  expect(open).toEqual([
    ['Öffnen', 'Offen'],
    ['Abrir', 'Pendiente'],
    ['Ouvrir', 'En cours'],
    ['فتح', 'قيد الانتظار'],
  ]);
});

it.each(LOCALES)('of mails and of their codes are all there, in %s', (locale) => {
  const parts = ['shared', 'admin', 'admin/settings', 'admin/mails'].map((part) => catalog(part, locale));
  const words = parts.map((part) => (part[FROM_DATA] ?? {}) as Readonly<Record<string, string>>);
  const given: object = Object.assign({}, ...parts, ...words);
  const mails = Object.values(TEMPLATES).flatMap(({ title, description }) => [title, description]);
  const codes = SMART_CODES.flatMap(({ title, shortcodes }) => [title, ...Object.values(shortcodes)]);
  expect([...mails, ...codes].filter((text) => !Object.hasOwn(given, text))).toEqual([]);
});

const uses = ({ plain, plural }: Used, key: string): boolean => plain.has(key) || plural.has(key);

describe.each(LOCALES)('texts in %s', (locale) => {
  const { [FROM_DATA]: _words, ...admin } = catalog('admin', locale);
  const { [FROM_DATA]: _names, ...shared } = catalog('shared', locale);
  const { [FROM_DATA]: _late, ...late } = catalog('admin/settings', locale);
  const lateUse = usedIn(...LATE);
  const rewards = catalog(REWARDS, locale);
  const rewardsUse = usedIn(REWARDS);
  const folders = readdirSync(join(CONSOLE, 'admin')).filter(
    (name) => name !== 'texts' && ![...LATE, REWARDS].includes(`admin/${name}`),
  );
  const early = folders.map((name) => join('admin', name));
  const missing = (used: Used, ...given: readonly object[]): string[] =>
    [...used.plain, ...used.plural]
      .filter((key) => given.every((texts) => !Object.hasOwn(texts, key)))
      .toSorted();
  const leftOver = (used: Used, given: object): string[] =>
    Object.keys(given).filter((key) => !uses(used, key));

  it('are all there where a screen needs them', () => {
    expect(missing(usedIn('shared'), shared)).toEqual([]);
    expect(missing(usedIn(...early), shared, admin)).toEqual([]);
    expect(missing(lateUse, shared, admin, late)).toEqual([]);
    expect(missing(rewardsUse, shared, admin, rewards)).toEqual([]);
  });

  it('are all used, each in one catalog: what both apps use is shared', () => {
    const [ofAdmin, ofPortal] = [usedIn('admin'), usedIn('portal')];
    const ofBoth = (key: string): boolean => uses(ofAdmin, key) && uses(ofPortal, key);
    expect(leftOver(usedIn('shared'), shared).filter((key) => !ofBoth(key))).toEqual([]);
    expect(Object.keys(catalog('portal', locale)).filter(ofBoth)).toEqual([]);
    expect(Object.keys(shared).filter((key) => [admin, late, rewards].some((texts) => key in texts))).toEqual(
      [],
    );
    expect(leftOver(usedIn('admin'), admin)).toEqual([]);
    expect(leftOver(lateUse, late)).toEqual([]);
    expect(leftOver(rewardsUse, rewards)).toEqual([]);
    expect(Object.keys(rewards).filter((key) => Object.hasOwn(admin, key))).toEqual([]);
    expect(Object.keys(late).filter((key) => Object.hasOwn(admin, key))).toEqual([]);
  });

  it.each(PARTS)('keep what is filled in, and have every plural form, in %s', (part) => {
    const { plural } = part === 'shared' ? usedIn('shared', 'admin') : usedIn('admin');
    const holes = (text: string): string[] =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted();
    const needed = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    const { [FROM_DATA]: _, ...given } = catalog(part, locale);
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

/** Sources of sentences that only programs read. */
const FOR_PROGRAMS =
  /attribution\/(conversions\/(input|known-keys|lead|order-updates|referral-row|refund-input|repeated)|tracking)|connected-sites\/conversions|emails\/extension-mails|affiliates\/custom-fields|http\/idempotency|imports\/(csv\/reader|move|program-copy)|settings\/(addons|host-routes)/;
/** Errors that only programs get: requests the pages do not make, signatures, hosts with addons. */
const CODES_FOR_PROGRAMS =
  /^(addons_unsupported|api_key_invalid|body_already_read|cannot_install|conversion_\w+|events_restarted|idempotency_\w+|no_addon_keys|page_exists|pages_unsupported|rest_invalid_json|rest_no_route|signature_\w+|signed_request_required|site_auth_failed|title_required|unsupported_media_type|url_outside_site|webhook_(payload_invalid|raw_body_missing|signature_invalid))$/;
/** Errors with a text of their own in the pages. */
const OWN_WORDS = [
  ...readFileSync(join(CONSOLE, 'shared', 'toast.ts'), 'utf8').matchAll(/^ {4}(\w+): t\(/gm),
].map(([, code]) => code);
const CALLS =
  /failFields(?=\()|\.add(?=\()|\bfields: (?=\{)|\bmessage: (?=['`\w])|function \w*Message\(.*\): string (?=\{)/g;
const SENTENCE = /^(?:[A-Z]|\{1\} ).* .*[.]$/;

/** From the bracket at `at` to its end. */
function bracketed(text: string, at: number): string {
  let depth = 0;
  for (let end = at; end < text.length; end += 1) {
    if ('([{'.includes(text[end]!)) depth += 1;
    else if (')]}'.includes(text[end]!) && (depth -= 1) === 0) return text.slice(at, end + 1);
  }
  return '';
}

/** The sentence of a literal; what a template fills in is `{1}`, `{2}` … */
function sentenceOf(literal: string): string {
  let holes = 0;
  return valueOf(literal.startsWith('`') ? `'${literal.slice(1, -1)}'` : literal).replaceAll(
    /\$\{[^}]*\}/g,
    () => `{${(holes += 1)}}`,
  );
}

/** What the service refuses, and what it says was done, as far as people read it. */
function sentencesOfService(): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts') && !FOR_PROGRAMS.test(file))
    .map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'))
    .flatMap((text) =>
      [...text.matchAll(CALLS)].flatMap(({ 0: call, index }) => {
        const at = index + call.length;
        const part = call.startsWith('message') ? text.slice(at).split('\n')[0]! : bracketed(text, at);
        return [...part.matchAll(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g)].map(([literal]) => sentenceOf(literal));
      }),
    );
  const errors = Object.entries(ERRORS)
    .filter(([code]) => !OWN_WORDS.includes(code) && !CODES_FOR_PROGRAMS.test(code))
    .map(([, [, text]]) => text);
  // Rows of an import; the page takes what is said of one apart into its sentences.
  const remarks = [
    ...readFileSync(join(ROOT, 'src/channels/imports/remarks.ts'), 'utf8').matchAll(
      /'(?:[^'\\\n]|\\.)*'|`[^`\n]*`/g,
    ),
  ].flatMap(([literal]) =>
    sentenceOf(literal)
      .trim()
      .split(/(?<=\.) (?=[A-Z])/),
  );
  return [...found, ...errors, ...remarks].filter((text) => SENTENCE.test(text));
}

describe.each(LOCALES)('sentences of the service in %s', (locale) => {
  const given = JSON.parse(
    readFileSync(join(CONSOLE, 'shared', 'sentences', `${locale}.json`), 'utf8'),
  ) as Readonly<Record<string, string>>;
  const holes = (text: string): string[] => [...new Set(text.match(/\{\d\}/g))];
  /** Patterns whose translation omits the name. */
  const general = Object.entries(given)
    .filter(([english, text]) => english.includes('{1}') && !text.includes('{1}'))
    .map(([english]) => patternOf(english));
  /** A longer "name" is a sentence of its own, which needs its own translation. */
  const isGeneral = (text: string): boolean =>
    general.some((pattern) => (pattern.exec(text)?.[1] ?? '    ').split(' ').length <= 3);

  it('are all there', () => {
    const wanted = sentencesOfService();
    expect(wanted.length).toBeGreaterThan(250);
    expect(wanted.filter((text) => given[text] === undefined && !isGeneral(text)).toSorted()).toEqual([]);
  });

  it('do not take the failure of something for its success', () => {
    expect(isGeneral('Settings saved.')).toBe(true);
    for (const text of ['Settings cannot be saved.', 'The group was not deleted.'])
      expect([text, isGeneral(text)]).toEqual([text, false]);
  });

  it('name nothing the English ones do not name', () => {
    for (const [english, text] of Object.entries(given))
      expect([english, holes(text).filter((hole) => !holes(english).includes(hole))]).toEqual([english, []]);
  });
});
