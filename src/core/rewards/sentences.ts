import { currencyDigits } from '../currency.js';
import { isolated, moneyText, numberText, percentText } from '../figures.js';
import { own } from '../own.js';
import type { RewardKind } from './types.js';

export const SENTENCE_LANGUAGES = ['en', 'de', 'es', 'fr', 'ar'] as const;
export type SentenceLanguage = (typeof SENTENCE_LANGUAGES)[number];

/** The language of sentences for a site in this language; English where there are none. */
export const sentenceLanguage = (language: string | undefined): SentenceLanguage => {
  const [first] = (language ?? 'en').toLowerCase().split(/[-_]/u);
  return SENTENCE_LANGUAGES.find((each) => each === first) ?? 'en';
};

/** `bonus`: a goal; `per_product`: a flat rate of each product; `lead`: a flat reward of a lead. */
export type SentenceKind = RewardKind | 'bonus' | 'per_product' | 'lead';

/** What a rule gave for an order; amounts and rates are decimal text. */
export interface RewardSentence {
  /** The values of a `bonus`: what was required and reached. */
  readonly kind: SentenceKind;
  /** Of the amounts. */
  readonly currency: string;
  readonly values: SentenceValues;
}

interface SentenceValues {
  readonly title: string;
  readonly rate: string;
  readonly base: string;
  readonly amount: string;
  readonly goal?: string;
  readonly reached?: string;
  /** The most that the rule gives for an order, where it gave less than its rate because of it. */
  readonly cap?: string;
}

type Texts = Readonly<Record<SentenceKind, string>>;

const TEXTS: Readonly<Record<SentenceLanguage, Texts>> = {
  en: {
    percent: '{title}: {rate} of {base} = {amount}',
    flat: '{title}: {rate} per order = {amount}',
    per_item: '{title}: {rate} per item = {amount}',
    per_product: '{title}: {rate} per product = {amount}',
    lead: '{title}: {rate} per lead = {amount}',
    none: '{title}: nothing for {base}',
    bonus: '{title}: {reached} of {goal} reached = {amount}',
  },
  de: {
    percent: '{title}: {rate} von {base} = {amount}',
    flat: '{title}: {rate} je Bestellung = {amount}',
    per_item: '{title}: {rate} je Artikel = {amount}',
    per_product: '{title}: {rate} je Produkt = {amount}',
    lead: '{title}: {rate} je Lead = {amount}',
    none: '{title}: nichts für {base}',
    bonus: '{title}: {reached} von {goal} erreicht = {amount}',
  },
  es: {
    percent: '{title}: {rate} de {base} = {amount}',
    flat: '{title}: {rate} por pedido = {amount}',
    per_item: '{title}: {rate} por artículo = {amount}',
    per_product: '{title}: {rate} por producto = {amount}',
    lead: '{title}: {rate} por lead = {amount}',
    none: '{title}: nada por {base}',
    bonus: '{title}: {reached} de {goal} alcanzados = {amount}',
  },
  fr: {
    percent: '{title} : {rate} de {base} = {amount}',
    flat: '{title} : {rate} par commande = {amount}',
    per_item: '{title} : {rate} par article = {amount}',
    per_product: '{title} : {rate} par produit = {amount}',
    lead: '{title} : {rate} par lead = {amount}',
    none: '{title} : rien pour {base}',
    bonus: '{title} : {reached} sur {goal} atteints = {amount}',
  },
  ar: {
    percent: '{title}: {rate} من {base} = {amount}',
    flat: '{title}: {rate} لكل طلب = {amount}',
    per_item: '{title}: {rate} لكل قطعة = {amount}',
    per_product: '{title}: {rate} لكل منتج = {amount}',
    lead: '{title}: {rate} لكل عميل محتمل = {amount}',
    none: '{title}: لا شيء عن {base}',
    bonus: '{title}: تحقق {reached} من {goal} = {amount}',
  },
};

type InEachLanguage = Readonly<Record<SentenceLanguage, string>>;

/** The same text in every language. */
export const inEach = (of: (language: SentenceLanguage) => string): InEachLanguage => ({
  en: of('en'),
  de: of('de'),
  es: of('es'),
  fr: of('fr'),
  ar: of('ar'),
});

const CAPPED: InEachLanguage = {
  en: 'at most {cap}',
  de: 'höchstens {cap}',
  es: 'como máximo {cap}',
  fr: 'au plus {cap}',
  ar: 'بحد أقصى {cap}',
};

/** The sentence in every language. */
export const sentencesOf = ({ kind, currency, values }: RewardSentence): InEachLanguage =>
  inEach((language) => {
    const written = writtenIn(language, { kind, currency, values: { ...values } });
    const text = filled(TEXTS[language][kind], written, language);
    return values.cap === undefined ? text : `${text} (${filled(CAPPED[language], written, language)})`;
  });

/** The figures as the language writes them. What a goal asks for is an amount or a number. */
function writtenIn(
  language: SentenceLanguage,
  { kind, currency, values }: { kind: SentenceKind; currency: string; values: Values },
): Values {
  const money = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : rewardMoney(value, currency, language);
  const figure = (value: string | undefined): string | undefined =>
    value !== undefined && isNumber(value) ? numberText(value, language) : value;
  const rate = values['rate'] ?? '';
  const isAmount = values['metric'] === 'amount';
  return {
    ...values,
    rate: kind === 'percent' ? percentText(rate, language) : money(rate),
    base: money(values['base']),
    amount: money(values['amount']),
    cap: money(values['cap']),
    goal: isAmount ? money(values['goal']) : figure(values['goal']),
    reached: isAmount ? money(values['reached']) : figure(values['reached']),
  };
}

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/u.test(text);

/** Decimals of a rate that is an amount. */
const RATE_DIGITS = 4;

/** An amount or a flat rate in a sentence; text that is no number does not change. */
export const rewardMoney = (value: string, currency: string, language: string): string =>
  isNumber(value)
    ? moneyText(value, { currency, digits: currencyDigits(currency), most: RATE_DIGITS }, language)
    : value;

/** The rates that need no rules: those of settings, groups, affiliates and products. */
export const RATE_SOURCES = [
  'affiliate',
  'group',
  'global',
  'renewal',
  'lifetime',
  'lead',
  'product',
  'category',
] as const;
export type RateSource = (typeof RATE_SOURCES)[number];

const RATES: Readonly<Record<SentenceLanguage, Readonly<Record<RateSource, string>>>> = {
  en: {
    affiliate: 'Own rate',
    group: 'Rate of the group',
    global: 'Rate of the program',
    renewal: 'Rate for renewals',
    lifetime: 'Rate for customers who come back',
    lead: 'Reward for leads',
    product: 'Rate of the product',
    category: 'Rate of the category',
  },
  de: {
    affiliate: 'Eigener Satz',
    group: 'Satz der Gruppe',
    global: 'Satz des Programms',
    renewal: 'Satz für Verlängerungen',
    lifetime: 'Satz für wiederkehrende Kunden',
    lead: 'Vergütung für Leads',
    product: 'Satz des Produkts',
    category: 'Satz der Kategorie',
  },
  es: {
    affiliate: 'Tasa propia',
    group: 'Tasa del grupo',
    global: 'Tasa del programa',
    renewal: 'Tasa para renovaciones',
    lifetime: 'Tasa para clientes que vuelven',
    lead: 'Recompensa por leads',
    product: 'Tasa del producto',
    category: 'Tasa de la categoría',
  },
  fr: {
    affiliate: 'Taux propre',
    group: 'Taux du groupe',
    global: 'Taux du programme',
    renewal: 'Taux pour les renouvellements',
    lifetime: 'Taux pour les clients qui reviennent',
    lead: 'Récompense des leads',
    product: 'Taux du produit',
    category: 'Taux de la catégorie',
  },
  ar: {
    affiliate: 'النسبة الخاصة',
    group: 'نسبة المجموعة',
    global: 'نسبة البرنامج',
    renewal: 'نسبة التجديدات',
    lifetime: 'نسبة العملاء العائدين',
    lead: 'مكافأة العملاء المحتملين',
    product: 'نسبة المنتج',
    category: 'نسبة الفئة',
  },
};

/** The payment of a subscription, where only so many earn. */
const PAYMENTS: InEachLanguage = {
  en: 'payment {payment} of {payments}',
  de: 'Zahlung {payment} von {payments}',
  es: 'pago {payment} de {payments}',
  fr: 'paiement {payment} sur {payments}',
  ar: 'الدفعة {payment} من {payments}',
};

/** What a rate without rules is called; a rate that an extension named has that name. */
export const rateTitle = (source: string, language: SentenceLanguage): string =>
  own(RATES[language], source as RateSource) ?? source;

/** What such a rate gave for an order, in every language. `payment` and `payments`: only so many renewals earn. */
export const rateSentences = (
  source: string,
  {
    kind,
    currency,
    values,
  }: {
    readonly kind: SentenceKind;
    readonly currency: string;
    readonly values: Readonly<Record<string, string>>;
  },
): InEachLanguage =>
  inEach((language) => {
    const written = {
      ...writtenIn(language, { kind, currency, values }),
      title: rateTitle(source, language),
    };
    const text = filled(TEXTS[language][kind], written, language);
    return values['payments'] === undefined
      ? text
      : `${text} (${filled(PAYMENTS[language], written, language)})`;
  });

type Values = Readonly<Record<string, string | undefined>>;

/** The text with its values, each isolated where the directions may differ. */
export const filled = (text: string, values: Values, language: string): string =>
  text.replaceAll(/\{(\w+)\}/gu, (_, name: string) => isolated(own(values, name) ?? '', language));
