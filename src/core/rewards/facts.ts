import type { Comparison, Condition, Op, RewardRule } from './types.js';

export type FactKind = 'number' | 'amount' | 'text' | 'date' | 'yes_no';

/** Every fact that a condition can name. `any_item` and `each_item` come before the facts of items. */
export const FACTS = {
  'order.total': 'amount',
  'order.base': 'amount',
  'order.currency': 'text',
  'order.country': 'text',
  'order.coupon': 'text',
  'order.provider': 'text',
  'order.site': 'text',
  'order.campaign': 'text',
  'order.sub1': 'text',
  'order.sub2': 'text',
  'order.sub3': 'text',
  'order.sub4': 'text',
  'order.sub5': 'text',
  'customer.is_new': 'yes_no',
  'customer.order_number': 'number',
  'subscription.payment': 'number',
  'subscription.months': 'number',
  'subscription.interval': 'text',
  'subscription.plan': 'text',
  'lead.kind': 'text',
  'affiliate.id': 'number',
  'affiliate.group': 'number',
  'affiliate.days': 'number',
  'affiliate.sale_number': 'number',
  'affiliate.sales_month': 'number',
  'affiliate.sales_30_days': 'number',
  'affiliate.sales_all_time': 'number',
  'affiliate.amount_month': 'amount',
  'affiliate.amount_30_days': 'amount',
  'affiliate.amount_all_time': 'amount',
  'time.date': 'date',
  'time.weekday': 'number',
} as const satisfies Readonly<Record<string, FactKind>>;
export type FactName = keyof typeof FACTS;

export const ITEM_FACTS = {
  product: 'text',
  category: 'text',
  sku: 'text',
  quantity: 'number',
  price: 'amount',
} as const satisfies Readonly<Record<string, FactKind>>;
export type ItemFactName = keyof typeof ITEM_FACTS;

/** Every sale counts for `reward.every`. */
export const SALE_NUMBER = 'affiliate.sale_number' satisfies FactName;

export const FACT_NAMES: readonly string[] = [
  ...Object.keys(FACTS),
  ...(['any_item', 'each_item'] as const).flatMap((which) =>
    Object.keys(ITEM_FACTS).map((name) => `${which}.${name}`),
  ),
];

/** The kind of a fact; null when there is no such fact. */
export function kindOf(fact: string): FactKind | null {
  const item = itemFact(fact);
  if (item !== null) return ITEM_FACTS[item.name];
  return Object.hasOwn(FACTS, fact) ? FACTS[fact as FactName] : null;
}

/** The parts of `any_item.price`; null for a fact of the whole order. */
export function itemFact(fact: string): ItemFact | null {
  const known = KNOWN_FACTS.get(fact);
  return known === undefined ? readItemFact(fact) : known;
}

interface ItemFact {
  readonly which: 'any_item' | 'each_item';
  readonly name: ItemFactName;
}

function readItemFact(fact: string): ItemFact | null {
  const [which = '', name = ''] = fact.split('.');
  if ((which !== 'any_item' && which !== 'each_item') || !Object.hasOwn(ITEM_FACTS, name)) return null;
  return { which, name: name as ItemFactName };
}

/** Read once, as every order asks for them. */
const KNOWN_FACTS: ReadonlyMap<string, ItemFact | null> = new Map(
  FACT_NAMES.map((fact) => [fact, readItemFact(fact)]),
);

const ORDERED: readonly Op[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in'];
const WORDS: readonly Op[] = ['eq', 'ne', 'in', 'not_in'];

/** The comparisons that a fact of this kind allows. */
export const opsOf = (kind: FactKind): readonly Op[] =>
  kind === 'yes_no' ? ['eq'] : kind === 'text' ? WORDS : ORDERED;

export const isComparison = (condition: Condition): condition is Comparison => 'fact' in condition;

/** Every comparison of a condition. */
export function comparisonsOf(condition: Condition | null): readonly Comparison[] {
  if (condition === null) return [];
  if (isComparison(condition)) return [condition];
  if ('not' in condition) return comparisonsOf(condition.not);
  return ('all' in condition ? condition.all : condition.any).flatMap(comparisonsOf);
}

/** Does the rule count for single items, so that the rest of the order falls to the next rule? */
export function isPerItem({ when }: Pick<RewardRule, 'when'>): boolean {
  if (when === null) return false;
  let known = PER_ITEM.get(when);
  if (known === undefined) {
    known = comparisonsOf(when).some(({ fact }) => itemFact(fact)?.which === 'each_item');
    PER_ITEM.set(when, known);
  }
  return known;
}
/** Conditions never change. */
const PER_ITEM = new WeakMap<Condition, boolean>();

/** The facts that these rules ask for, so that nothing else has to be looked up. */
export function factsUsed(rules: readonly RewardRule[]): ReadonlySet<string> {
  const used = new Set(rules.flatMap(({ when }) => comparisonsOf(when).map(({ fact }) => fact)));
  if (rules.some(({ reward }) => reward.every !== undefined)) used.add(SALE_NUMBER);
  if (rules.some(({ reward }) => reward.months !== undefined)) used.add('subscription.months');
  if (rules.some(({ reward }) => reward.payments !== undefined)) used.add('subscription.payment');
  return used;
}
