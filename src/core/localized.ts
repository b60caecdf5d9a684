/** Languages of pages and mails. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'ar';

/** A text for all readers, or one for each language; readers of the other languages get the English one. */
export type Localized = string | (Readonly<Partial<Record<Language, string>>> & { readonly en: string });

/** The text in this language (`de`, `de-CH`), otherwise in English. */
export function localized(text: Localized, language: string | undefined): string {
  if (typeof text === 'string') return text;
  return text[language?.slice(0, 2).toLowerCase() as Language] ?? text.en;
}
