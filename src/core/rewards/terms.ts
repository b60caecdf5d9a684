import { isolated, numberText, percentText } from '../figures.js';
import { comparisonsOf, isPerItem, kindOf } from './facts.js';
import {
  filled,
  inEach,
  rateTitle,
  rewardMoney,
  sentenceLanguage,
  type SentenceLanguage,
} from './sentences.js';
import {
  CAP_WINDOWS,
  type CapWindow,
  type Condition,
  type FactValue,
  type GoalMetric,
  type GoalWindow,
  type Op,
  type RewardEvent,
  type RewardKind,
  type RewardRule,
} from './types.js';

type Words<K extends string> = Readonly<Record<K, string>>;

/**
 * The parts of sentences about rules. `{value}` is a percentage or an amount, `{n}` a number, and
 * `{names}` a list.
 */
interface Language {
  readonly events: Words<RewardEvent>;
  readonly kinds: Words<RewardKind>;
  /** A flat reward of a lead. */
  readonly lead: string;
  readonly campaign: string;
  readonly link: string;
  readonly caps: Words<CapWindow>;
  readonly hold: string;
  readonly stop: string;
  readonly ops: Words<Op>;
  readonly and: string;
  readonly or: string;
  readonly not: string;
  readonly if: string;
  readonly yes: string;
  readonly no: string;
  readonly every: string;
  readonly months: string;
  readonly payments: string;
  readonly any: string;
  readonly each: string;
  readonly goals: Words<GoalMetric>;
  /** `{value}` is the amount, `{goal}` what it asks for. */
  readonly goal: string;
  readonly windows: Words<GoalWindow>;
  readonly once: string;
  readonly facts: Readonly<Record<string, string>>;
}

const LANGUAGES: Readonly<Record<SentenceLanguage, Language>> = {
  en: {
    events: {
      sale: 'Sale',
      renewal: 'Renewal',
      lead: 'Lead',
      activation: 'First payment of a lead',
      bonus: 'Bonus',
    },
    kinds: {
      percent: '{value}',
      flat: '{value} per order',
      per_item: '{value} per item',
      none: 'no commission',
    },
    lead: '{value} per lead',
    campaign: 'with the campaign {names}',
    link: 'through the short link {names}',
    caps: {
      order: 'at most {value} per order',
      customer: 'at most {value} per customer',
      day: 'at most {value} a day',
      month: 'at most {value} a month',
      all_time: 'at most {value} in all',
    },
    hold: 'payable after {n} days',
    stop: 'the rest of the order earns nothing',
    ops: {
      eq: 'is',
      ne: 'is not',
      lt: 'is below',
      lte: 'is at most',
      gt: 'is above',
      gte: 'is at least',
      in: 'is one of',
      not_in: 'is none of',
    },
    and: ' and ',
    or: ' or ',
    not: 'not ',
    if: 'if',
    yes: 'yes',
    no: 'no',
    every: 'for every {n}th sale',
    months: 'for {n} months',
    payments: 'for {n} payments',
    any: 'any item: ',
    each: 'item: ',
    goals: {
      sales: 'at least {n} sales',
      amount: 'sales of at least {n}',
      leads: 'at least {n} leads',
      customers: 'at least {n} customers',
    },
    goal: '{value} for {goal}',
    windows: {
      month: 'in a month',
      quarter: 'in a quarter',
      '30_days': 'in a period of 30 days',
      all_time: '',
    },
    once: '(once)',
    facts: {
      'order.total': 'order total',
      'order.base': 'commissionable amount',
      'order.currency': 'currency',
      'order.country': 'country',
      'order.coupon': 'coupon',
      'order.provider': 'shop',
      'order.site': 'site',
      'order.campaign': 'campaign',
      'customer.is_new': 'new customer',
      'customer.order_number': 'order number of the customer',
      'subscription.payment': 'payment number',
      'subscription.months': 'months since the first payment',
      'subscription.interval': 'billing interval',
      'subscription.plan': 'plan',
      'lead.kind': 'kind of lead',
      'affiliate.id': 'affiliate',
      'affiliate.group': 'group',
      'affiliate.days': 'days as an affiliate',
      'affiliate.sale_number': 'number of the sale',
      'affiliate.sales_month': 'sales this month',
      'affiliate.sales_30_days': 'sales in 30 days',
      'affiliate.sales_all_time': 'all sales',
      'affiliate.amount_month': 'order value this month',
      'affiliate.amount_30_days': 'order value in 30 days',
      'affiliate.amount_all_time': 'order value of all time',
      'time.date': 'date',
      'time.weekday': 'weekday (1 = Monday)',
      product: 'product',
      category: 'category',
      sku: 'SKU',
      quantity: 'quantity',
      price: 'price',
    },
  },
  de: {
    events: {
      sale: 'Verkauf',
      renewal: 'Verlängerung',
      lead: 'Lead',
      activation: 'Erste Zahlung eines Leads',
      bonus: 'Bonus',
    },
    kinds: {
      percent: '{value}',
      flat: '{value} je Bestellung',
      per_item: '{value} je Artikel',
      none: 'keine Provision',
    },
    lead: '{value} je Lead',
    campaign: 'mit der Kampagne {names}',
    link: 'über den Kurzlink {names}',
    caps: {
      order: 'höchstens {value} je Bestellung',
      customer: 'höchstens {value} je Kunde',
      day: 'höchstens {value} am Tag',
      month: 'höchstens {value} im Monat',
      all_time: 'höchstens {value} insgesamt',
    },
    hold: 'zahlbar nach {n} Tagen',
    stop: 'der Rest der Bestellung bringt nichts',
    ops: {
      eq: 'ist',
      ne: 'ist nicht',
      lt: 'ist unter',
      lte: 'ist höchstens',
      gt: 'ist über',
      gte: 'ist mindestens',
      in: 'ist eines von',
      not_in: 'ist keines von',
    },
    and: ' und ',
    or: ' oder ',
    not: 'nicht ',
    if: 'wenn',
    yes: 'ja',
    no: 'nein',
    every: 'für jeden {n}. Verkauf',
    months: '{n} Monate lang',
    payments: 'für {n} Zahlungen',
    any: 'ein Artikel: ',
    each: 'Artikel: ',
    goals: {
      sales: 'mindestens {n} Verkäufe',
      amount: 'Verkäufe von mindestens {n}',
      leads: 'mindestens {n} Leads',
      customers: 'mindestens {n} Kunden',
    },
    goal: '{value} für {goal}',
    windows: {
      month: 'in einem Monat',
      quarter: 'in einem Quartal',
      '30_days': 'in einem Zeitraum von 30 Tagen',
      all_time: '',
    },
    once: '(einmal)',
    facts: {
      'order.total': 'Bestellwert',
      'order.base': 'provisionsfähiger Betrag',
      'order.currency': 'Währung',
      'order.country': 'Land',
      'order.coupon': 'Gutschein',
      'order.provider': 'Shop',
      'order.site': 'Website',
      'order.campaign': 'Kampagne',
      'customer.is_new': 'Neukunde',
      'customer.order_number': 'Bestellnummer des Kunden',
      'subscription.payment': 'Nummer der Zahlung',
      'subscription.months': 'Monate seit der ersten Zahlung',
      'subscription.interval': 'Abrechnungszeitraum',
      'subscription.plan': 'Tarif',
      'lead.kind': 'Art des Leads',
      'affiliate.id': 'Partner',
      'affiliate.group': 'Gruppe',
      'affiliate.days': 'Tage als Partner',
      'affiliate.sale_number': 'Nummer des Verkaufs',
      'affiliate.sales_month': 'Verkäufe in diesem Monat',
      'affiliate.sales_30_days': 'Verkäufe in 30 Tagen',
      'affiliate.sales_all_time': 'alle Verkäufe',
      'affiliate.amount_month': 'Bestellwert in diesem Monat',
      'affiliate.amount_30_days': 'Bestellwert in 30 Tagen',
      'affiliate.amount_all_time': 'gesamter Bestellwert',
      'time.date': 'Datum',
      'time.weekday': 'Wochentag (1 = Montag)',
      product: 'Produkt',
      category: 'Kategorie',
      sku: 'SKU',
      quantity: 'Menge',
      price: 'Preis',
    },
  },
  es: {
    events: {
      sale: 'Venta',
      renewal: 'Renovación',
      lead: 'Lead',
      activation: 'Primer pago de un lead',
      bonus: 'Bono',
    },
    kinds: {
      percent: '{value}',
      flat: '{value} por pedido',
      per_item: '{value} por artículo',
      none: 'sin comisión',
    },
    lead: '{value} por lead',
    campaign: 'con la campaña {names}',
    link: 'a través del enlace corto {names}',
    caps: {
      order: 'como máximo {value} por pedido',
      customer: 'como máximo {value} por cliente',
      day: 'como máximo {value} al día',
      month: 'como máximo {value} al mes',
      all_time: 'como máximo {value} en total',
    },
    hold: 'se puede pagar después de {n} días',
    stop: 'el resto del pedido no aporta nada',
    ops: {
      eq: 'es',
      ne: 'no es',
      lt: 'es menor que',
      lte: 'es como máximo',
      gt: 'es mayor que',
      gte: 'es al menos',
      in: 'es uno de',
      not_in: 'no es ninguno de',
    },
    and: ' y ',
    or: ' o ',
    not: 'no ',
    if: 'si',
    yes: 'sí',
    no: 'no',
    every: 'en cada {n}.ª venta',
    months: 'durante {n} meses',
    payments: 'en {n} pagos',
    any: 'algún artículo: ',
    each: 'artículo: ',
    goals: {
      sales: 'al menos {n} ventas',
      amount: 'ventas de al menos {n}',
      leads: 'al menos {n} leads',
      customers: 'al menos {n} clientes',
    },
    goal: '{value} por {goal}',
    windows: {
      month: 'en un mes',
      quarter: 'en un trimestre',
      '30_days': 'en un periodo de 30 días',
      all_time: '',
    },
    once: '(una vez)',
    facts: {
      'order.total': 'total del pedido',
      'order.base': 'importe comisionable',
      'order.currency': 'moneda',
      'order.country': 'país',
      'order.coupon': 'cupón',
      'order.provider': 'tienda',
      'order.site': 'sitio',
      'order.campaign': 'campaña',
      'customer.is_new': 'cliente nuevo',
      'customer.order_number': 'número de pedido del cliente',
      'subscription.payment': 'número de pago',
      'subscription.months': 'meses desde el primer pago',
      'subscription.interval': 'periodo de facturación',
      'subscription.plan': 'plan',
      'lead.kind': 'tipo de lead',
      'affiliate.id': 'afiliado',
      'affiliate.group': 'grupo',
      'affiliate.days': 'días como afiliado',
      'affiliate.sale_number': 'número de la venta',
      'affiliate.sales_month': 'ventas de este mes',
      'affiliate.sales_30_days': 'ventas en 30 días',
      'affiliate.sales_all_time': 'todas las ventas',
      'affiliate.amount_month': 'valor de pedidos de este mes',
      'affiliate.amount_30_days': 'valor de pedidos en 30 días',
      'affiliate.amount_all_time': 'valor total de pedidos',
      'time.date': 'fecha',
      'time.weekday': 'día de la semana (1 = lunes)',
      product: 'producto',
      category: 'categoría',
      sku: 'SKU',
      quantity: 'cantidad',
      price: 'precio',
    },
  },
  fr: {
    events: {
      sale: 'Vente',
      renewal: 'Renouvellement',
      lead: 'Lead',
      activation: 'Premier paiement d’un lead',
      bonus: 'Bonus',
    },
    kinds: {
      percent: '{value}',
      flat: '{value} par commande',
      per_item: '{value} par article',
      none: 'aucune commission',
    },
    lead: '{value} par lead',
    campaign: 'avec la campagne {names}',
    link: 'par le lien court {names}',
    caps: {
      order: 'au plus {value} par commande',
      customer: 'au plus {value} par client',
      day: 'au plus {value} par jour',
      month: 'au plus {value} par mois',
      all_time: 'au plus {value} en tout',
    },
    hold: 'payable après {n} jours',
    stop: 'le reste de la commande ne rapporte rien',
    ops: {
      eq: 'est',
      ne: 'n’est pas',
      lt: 'est inférieur à',
      lte: 'est au plus',
      gt: 'est supérieur à',
      gte: 'est au moins',
      in: 'est l’un de',
      not_in: 'n’est aucun de',
    },
    and: ' et ',
    or: ' ou ',
    not: 'pas ',
    if: 'si',
    yes: 'oui',
    no: 'non',
    every: 'toutes les {n} ventes',
    months: 'pendant {n} mois',
    payments: 'pour {n} paiements',
    any: 'un article : ',
    each: 'article : ',
    goals: {
      sales: 'au moins {n} ventes',
      amount: 'des ventes d’au moins {n}',
      leads: 'au moins {n} leads',
      customers: 'au moins {n} clients',
    },
    goal: '{value} pour {goal}',
    windows: {
      month: 'en un mois',
      quarter: 'en un trimestre',
      '30_days': 'sur une période de 30 jours',
      all_time: '',
    },
    once: '(une fois)',
    facts: {
      'order.total': 'total de la commande',
      'order.base': 'montant commissionnable',
      'order.currency': 'devise',
      'order.country': 'pays',
      'order.coupon': 'code promo',
      'order.provider': 'boutique',
      'order.site': 'site',
      'order.campaign': 'campagne',
      'customer.is_new': 'nouveau client',
      'customer.order_number': 'numéro de commande du client',
      'subscription.payment': 'numéro du paiement',
      'subscription.months': 'mois depuis le premier paiement',
      'subscription.interval': 'période de facturation',
      'subscription.plan': 'formule',
      'lead.kind': 'type de lead',
      'affiliate.id': 'affilié',
      'affiliate.group': 'groupe',
      'affiliate.days': 'jours comme affilié',
      'affiliate.sale_number': 'numéro de la vente',
      'affiliate.sales_month': 'ventes ce mois-ci',
      'affiliate.sales_30_days': 'ventes en 30 jours',
      'affiliate.sales_all_time': 'toutes les ventes',
      'affiliate.amount_month': 'valeur des commandes ce mois-ci',
      'affiliate.amount_30_days': 'valeur des commandes en 30 jours',
      'affiliate.amount_all_time': 'valeur totale des commandes',
      'time.date': 'date',
      'time.weekday': 'jour de la semaine (1 = lundi)',
      product: 'produit',
      category: 'catégorie',
      sku: 'SKU',
      quantity: 'quantité',
      price: 'prix',
    },
  },
  ar: {
    events: {
      sale: 'عملية بيع',
      renewal: 'تجديد',
      lead: 'عميل محتمل',
      activation: 'الدفعة الأولى لعميل محتمل',
      bonus: 'مكافأة',
    },
    kinds: { percent: '{value}', flat: '{value} لكل طلب', per_item: '{value} لكل قطعة', none: 'بلا عمولة' },
    lead: '{value} لكل عميل محتمل',
    campaign: 'مع الحملة {names}',
    link: 'عبر الرابط المختصر {names}',
    caps: {
      order: 'بحد أقصى {value} لكل طلب',
      customer: 'بحد أقصى {value} لكل عميل',
      day: 'بحد أقصى {value} في اليوم',
      month: 'بحد أقصى {value} في الشهر',
      all_time: 'بحد أقصى {value} إجمالًا',
    },
    hold: 'تُدفع بعد {n} يومًا',
    stop: 'لا عمولة عن بقية الطلب',
    ops: {
      eq: 'هو',
      ne: 'ليس',
      lt: 'أقل من',
      lte: 'لا يزيد على',
      gt: 'أكثر من',
      gte: 'لا يقل عن',
      in: 'أحد',
      not_in: 'ليس أيًّا من',
    },
    and: ' و',
    or: ' أو ',
    not: 'ليس ',
    if: 'إذا',
    yes: 'نعم',
    no: 'لا',
    every: 'لكل عملية بيع رقم {n}',
    months: 'لمدة {n} شهرًا',
    payments: 'لعدد {n} دفعة',
    any: 'أي قطعة: ',
    each: 'القطعة: ',
    goals: {
      sales: '{n} عمليات بيع على الأقل',
      amount: 'مبيعات لا تقل عن {n}',
      leads: '{n} عملاء محتملين على الأقل',
      customers: '{n} عملاء على الأقل',
    },
    goal: '{value} مقابل {goal}',
    windows: {
      month: 'في شهر',
      quarter: 'في ربع سنة',
      '30_days': 'في فترة من 30 يومًا',
      all_time: '',
    },
    once: '(مرة واحدة)',
    facts: {
      'order.total': 'إجمالي الطلب',
      'order.base': 'المبلغ الخاضع للعمولة',
      'order.currency': 'العملة',
      'order.country': 'البلد',
      'order.coupon': 'القسيمة',
      'order.provider': 'المتجر',
      'order.site': 'الموقع',
      'order.campaign': 'الحملة',
      'customer.is_new': 'عميل جديد',
      'customer.order_number': 'رقم طلب العميل',
      'subscription.payment': 'رقم الدفعة',
      'subscription.months': 'الأشهر منذ الدفعة الأولى',
      'subscription.interval': 'فترة الفوترة',
      'subscription.plan': 'الخطة',
      'lead.kind': 'نوع العميل المحتمل',
      'affiliate.id': 'الشريك',
      'affiliate.group': 'المجموعة',
      'affiliate.days': 'أيام الشراكة',
      'affiliate.sale_number': 'رقم عملية البيع',
      'affiliate.sales_month': 'المبيعات هذا الشهر',
      'affiliate.sales_30_days': 'المبيعات في 30 يومًا',
      'affiliate.sales_all_time': 'كل المبيعات',
      'affiliate.amount_month': 'قيمة الطلبات هذا الشهر',
      'affiliate.amount_30_days': 'قيمة الطلبات في 30 يومًا',
      'affiliate.amount_all_time': 'القيمة الكلية للطلبات',
      'time.date': 'التاريخ',
      'time.weekday': 'يوم الأسبوع (1 = الاثنين)',
      product: 'المنتج',
      category: 'الفئة',
      sku: 'رمز المنتج',
      quantity: 'الكمية',
      price: 'السعر',
    },
  },
};

/** The words of events, comparisons and facts in a language; English where there are none. */
export const rewardWords = (language: string): Pick<Language, 'events' | 'ops' | 'yes' | 'no'> =>
  LANGUAGES[sentenceLanguage(language)];

/** A fact as people read it. */
export const factText = (fact: string, language: string): string =>
  labelOf(fact, LANGUAGES[sentenceLanguage(language)]);

function labelOf(fact: string, words: Language): string {
  const sub = /^order\.sub([1-5])$/u.exec(fact);
  if (sub) return `Sub-ID ${sub[1]}`;
  const [which = '', name = ''] = fact.split('.');
  const item = which === 'any_item' ? words.any : which === 'each_item' ? words.each : '';
  return `${item}${(item === '' ? words.facts[fact] : words.facts[name]) ?? fact}`;
}

/** The names of short links by their ids, as far as the reader may know them. */
type LinkNames = ReadonlyMap<number, string>;

/**
 * A rule as a plain sentence in every language, such as "Sale: 15% if order total is at least €100.00". Short links
 * that `links` does not name are called by their ids.
 */
export const ruleSentences = (
  rule: RewardRule,
  currency: string,
  links: LinkNames = new Map(),
): Readonly<Record<SentenceLanguage, string>> =>
  inEach((language) => new Writer(language, currency, links).sentence(rule));

/** A rate that needs no rule. */
export interface TermRate {
  /** `affiliate`, `group`, `global`, `renewal`, `lifetime` or `lead`. */
  readonly source: string;
  readonly type: 'percentage' | 'flat';
  readonly rate: number;
  /** Payments of a subscription that earn, the first one included; null without a limit, as for months. */
  readonly payments: number | null;
  readonly months: number | null;
}

/** The rate as a plain sentence in every language, such as "Rate for renewals: 10% for 12 payments". */
export const termRateSentences = (
  of: TermRate,
  currency: string,
): Readonly<Record<SentenceLanguage, string>> =>
  inEach((language) => new Writer(language, currency).rate(of));

/** Writes the sentences of one language. */
class Writer {
  readonly #words: Language;

  constructor(
    private readonly language: SentenceLanguage,
    private readonly currency: string,
    private readonly links: LinkNames = new Map(),
  ) {
    this.#words = LANGUAGES[language];
  }

  sentence(rule: RewardRule): string {
    const words = this.#words;
    const { event, reward, when, goal } = rule;
    const whole = (text: string): string =>
      [`${words.events[event]}: ${text}`, ...this.#limitsOf(rule)].join('; ');
    if (goal !== undefined) return whole(this.#goal(reward.value, goal));
    const { kind, value, every } = reward;
    const text = kind === 'flat' && event === 'lead' ? words.lead : words.kinds[kind];
    const terms = [
      this.#fill(text, {
        value: kind === 'percent' ? percentText(value, this.language) : this.#money(value),
      }),
      ...(rule.scope === 'link' ? [this.#placeOf(rule)] : []),
      ...(every === undefined ? [] : [this.#counted(words.every, every)]),
      ...this.#spans(reward),
      ...(comparisonsOf(when).length === 0 || when === null ? [] : [`${words.if} ${this.#condition(when)}`]),
    ];
    return whole(terms.join(' '));
  }

  rate({ source, type, rate, payments, months }: TermRate): string {
    const words = this.#words;
    const flat = source === 'lead' ? words.lead : words.kinds.flat;
    const text = [
      type === 'percentage'
        ? this.#fill(words.kinds.percent, { value: percentText(String(rate), this.language) })
        : this.#fill(flat, { value: this.#money(String(rate)) }),
      ...this.#spans({
        ...(months !== null && { months }),
        ...(payments !== null && { payments }),
      }),
    ].join(' ');
    return `${rateTitle(source, this.language)}: ${text}`;
  }

  #spans({ months, payments }: Pick<RewardRule['reward'], 'months' | 'payments'>): string[] {
    return [
      ...(months === undefined ? [] : [this.#counted(this.#words.months, months)]),
      ...(payments === undefined ? [] : [this.#counted(this.#words.payments, payments)]),
    ];
  }

  /** The campaigns and short links whose orders the rule is for. */
  #placeOf({ scope_ids: ids }: RewardRule): string {
    const words = this.#words;
    const campaigns = ids.filter((id) => typeof id === 'string');
    const names = ids.flatMap((id) => (typeof id === 'number' ? [this.links.get(id) ?? `#${id}`] : []));
    return [
      ...(campaigns.length === 0 ? [] : [this.#fill(words.campaign, { names: campaigns.join(', ') })]),
      ...(names.length === 0 ? [] : [this.#fill(words.link, { names: names.join(', ') })]),
    ].join(words.or);
  }

  /** What lowers the reward below its rate. */
  #limitsOf(rule: RewardRule): string[] {
    const words = this.#words;
    const { cap = {}, hold_days: days } = rule.reward;
    return [
      ...CAP_WINDOWS.flatMap((window) => {
        const amount = cap[window];
        return amount === undefined ? [] : [this.#fill(words.caps[window], { value: this.#money(amount) })];
      }),
      ...(days === undefined ? [] : [this.#counted(words.hold, days)]),
      ...(rule.stop && isPerItem(rule) ? [words.stop] : []),
    ];
  }

  #goal(value: string, { metric, at_least: n, window, repeat }: NonNullable<RewardRule['goal']>): string {
    const words = this.#words;
    const asked = this.#fill(words.goals[metric], {
      n: metric === 'amount' ? this.#money(n) : numberText(n, this.language),
    });
    const text = this.#fill(words.goal, { value: this.#money(value), goal: asked });
    return [text, words.windows[window], ...(repeat === 'once' ? [words.once] : [])]
      .filter((part) => part !== '')
      .join(' ');
  }

  #condition(of: Condition): string {
    const words = this.#words;
    if ('fact' in of)
      return `${labelOf(of.fact, words)} ${words.ops[of.op]} ${this.#valueText(of.fact, of.value)}`;
    if ('not' in of) return `${words.not}(${this.#condition(of.not)})`;
    const [parts, join] = 'all' in of ? [of.all, words.and] : [of.any, words.or];
    const texts = parts.map((each) =>
      'fact' in each ? this.#condition(each) : `(${this.#condition(each)})`,
    );
    return texts.join(join);
  }

  #valueText(fact: string, value: FactValue | readonly FactValue[]): string {
    const { yes, no } = this.#words;
    const isMoney = kindOf(fact) === 'amount';
    return (Array.isArray(value) ? (value as readonly FactValue[]) : [value as FactValue])
      .map((each) => {
        if (each === true) return yes;
        if (each === false) return no;
        if (each === '') return '–';
        return isolated(isMoney ? this.#money(String(each)) : String(each), this.language);
      })
      .join(', ');
  }

  #money(value: string): string {
    return rewardMoney(value, this.currency, this.language);
  }

  #counted(text: string, n: number): string {
    return this.#fill(text, { n: numberText(n, this.language) });
  }

  #fill(text: string, values: Readonly<Record<string, string>>): string {
    return filled(text, values, this.language);
  }
}
