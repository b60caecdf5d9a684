import { isolated } from '../../src/core/figures.js';

/** English sentence → the reader's; `{1}`, `{2}` … stand for what the sentence names. */
type Sentences = Readonly<Record<string, string>>;

const LANGUAGES = import.meta.glob('./sentences/*.json') as Readonly<
  Record<string, () => Promise<{ default: Sentences }>>
>;
const HOLE = /\{(\d)\}/g;

interface Pattern {
  readonly matches: RegExp;
  readonly text: string;
}

let known: Sentences = {};
let language = 'en';
let patterns: readonly Pattern[] = [];
let loading: Promise<void> | undefined;

/**
 * What the service says in sentences: what it refuses, and what it has done. Loaded with the first of them;
 * until then, and where this fails, they are English.
 */
export function loadSentences(locale: string): Promise<void> {
  loading ??= load(locale).catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(locale: string): Promise<void> {
  language = locale;
  known = (await LANGUAGES[`./sentences/${locale}.json`]?.())?.default ?? {};
  patterns = Object.keys(known)
    .filter((english) => english.includes('{1}'))
    .toSorted((a, b) => b.length - a.length) // the longer one says more
    .map((english) => ({ matches: patternOf(english), text: known[english]! }));
}

const patternOf = (english: string): RegExp =>
  new RegExp(`^${english.replaceAll(/[.*+?^$|()[\]\\]/g, String.raw`\$&`).replaceAll(HOLE, '(.+?)')}$`);

/** A sentence of the service in the reader's language; `name` says what it names in that language. */
export function translated(english: string, name: (english: string) => string): string {
  const whole = known[english];
  if (whole !== undefined) return whole;
  for (const { matches, text } of patterns) {
    const found = matches.exec(english);
    if (found)
      return text.replaceAll(HOLE, (_, at: string) => isolated(name(found[Number(at)] ?? ''), language));
  }
  return english;
}
