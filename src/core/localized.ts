/** Languages of pages and mails. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of `de` or `de-CH`; null when pages and mails do not have it. */
export const languageOf = (tag: string | undefined): Language | null =>
  LANGUAGES.find((each) => each === tag?.toLowerCase().split(/[-_]/u)[0]) ?? null;

/** A text for all readers, or one for each language; readers of the other languages get the English one. */
export type Localized = string | (Readonly<Partial<Record<Language, string>>> & { readonly en: string });

/** The text in this language (`de`, `de-CH`), otherwise in English. */
export function localized(text: Localized, language: string | undefined): string {
  if (typeof text === 'string') return text;
  return text[language?.slice(0, 2).toLowerCase() as Language] ?? text.en;
}
