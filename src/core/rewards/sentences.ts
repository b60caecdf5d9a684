import { own } from '../own.js';
import type { RewardKind } from './types.js';

export const SENTENCE_LANGUAGES = ['en', 'de', 'es', 'fr', 'ar'] as const;
export type SentenceLanguage = (typeof SENTENCE_LANGUAGES)[number];

/** The language of sentences for a site in this language; English where there are none. */
export const sentenceLanguage = (language: string | undefined): SentenceLanguage => {
  const [first] = (language ?? 'en').toLowerCase().split(/[-_]/u);
  return SENTENCE_LANGUAGES.find((each) => each === first) ?? 'en';
};

/** What a rule gave for an order; amounts and rates are decimal text. */
export interface RewardSentence {
  /** `bonus`: a goal; its values say what was asked for and reached. */
  readonly kind: RewardKind | 'bonus';
  readonly values: {
    readonly title: string;
    readonly rate: string;
    readonly base: string;
    readonly amount: string;
    readonly goal?: string;
    readonly reached?: string;
  };
}

type Texts = Readonly<Record<RewardKind | 'bonus', string>>;

const TEXTS: Readonly<Record<SentenceLanguage, Texts>> = {
  en: {
    percent: '{title}: {rate} % of {base} = {amount}',
    flat: '{title}: {rate} per order = {amount}',
    per_item: '{title}: {rate} per item = {amount}',
    none: '{title}: nothing for {base}',
    bonus: '{title}: {reached} of {goal} reached = {amount}',
  },
  de: {
    percent: '{title}: {rate} % von {base} = {amount}',
    flat: '{title}: {rate} je Bestellung = {amount}',
    per_item: '{title}: {rate} je Artikel = {amount}',
    none: '{title}: nichts für {base}',
    bonus: '{title}: {reached} von {goal} erreicht = {amount}',
  },
  es: {
    percent: '{title}: {rate} % de {base} = {amount}',
    flat: '{title}: {rate} por pedido = {amount}',
    per_item: '{title}: {rate} por artículo = {amount}',
    none: '{title}: nada por {base}',
    bonus: '{title}: {reached} de {goal} alcanzados = {amount}',
  },
  fr: {
    percent: '{title} : {rate} % de {base} = {amount}',
    flat: '{title} : {rate} par commande = {amount}',
    per_item: '{title} : {rate} par article = {amount}',
    none: '{title} : rien pour {base}',
    bonus: '{title} : {reached} sur {goal} atteints = {amount}',
  },
  ar: {
    percent: '{title}: ‏{rate} % من {base} = {amount}',
    flat: '{title}: ‏{rate} لكل طلب = {amount}',
    per_item: '{title}: ‏{rate} لكل قطعة = {amount}',
    none: '{title}: لا شيء عن {base}',
    bonus: '{title}: تحقق {reached} من {goal} = {amount}',
  },
};

/** The sentence in every language. */
export const sentencesOf = ({
  kind,
  values,
}: RewardSentence): Readonly<Record<SentenceLanguage, string>> => ({
  en: filled(TEXTS.en[kind], values),
  de: filled(TEXTS.de[kind], values),
  es: filled(TEXTS.es[kind], values),
  fr: filled(TEXTS.fr[kind], values),
  ar: filled(TEXTS.ar[kind], values),
});

const filled = (text: string, values: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(/\{(\w+)\}/gu, (_, name: string) => own(values, name) ?? '');
