import { isolated } from '../../src/core/figures.js';
import { fillIn, patternOf } from './sentence-pattern.js';

// The service writes English: errors, remarks on rows, success messages. A code is not enough to translate them:
// `validation_failed` has a hundred sentences with fields, limits and choices. So the English sentence is the key
// of its translation, as in `t()`, and its values are found by a pattern. Sentences that differ only in the name of
// a field or record share a key ("{1} is required."), and the translation omits the name: the page shows it beside
// the field, or the user has just pressed its button. test/console/texts.test.ts demands a translation of every
// sentence in the service's sources that the pages can show.

/** English sentence → translation; `{1}`, `{2}` … are its values. */
type Sentences = Readonly<Record<string, string>>;

const LANGUAGES = import.meta.glob('./sentences/*.json') as Readonly<
  Record<string, () => Promise<{ default: Sentences }>>
>;

interface Pattern {
  readonly matches: RegExp;
  readonly text: string;
}

let sentences: Sentences = {};
let language = 'en';
let patterns: readonly Pattern[] = [];
let loading: Promise<void> | undefined;

/** Loads the translations of the service's sentences. Until then, and if this fails, they are English. */
export function loadSentences(locale: string): Promise<void> {
  loading ??= load(locale).catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(locale: string): Promise<void> {
  language = locale;
  sentences = (await LANGUAGES[`./sentences/${locale}.json`]?.())?.default ?? {};
  patterns = Object.keys(sentences)
    .filter((english) => english.includes('{1}'))
    .toSorted((a, b) => b.length - a.length) // the longer one is more specific
    .map((english) => ({ matches: patternOf(english), text: sentences[english]! }));
}

/** A sentence of the service in the user's language; `name` translates the values in it. */
export function translated(english: string, name: (english: string) => string): string {
  const whole = sentences[english];
  if (whole !== undefined) return whole;
  for (const { matches, text } of patterns) {
    const found = matches.exec(english);
    if (found) return fillIn(text, (hole) => isolated(name(found[hole] ?? ''), language));
  }
  return english;
}
