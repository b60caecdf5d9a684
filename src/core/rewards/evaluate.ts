import { compare, compareDecimals, type Truth } from './compare.js';
import { FACTS, isComparison, isPerItem, ITEM_FACTS, itemFact, SALE_NUMBER, type FactName } from './facts.js';
import {
  REWARD_SCOPES,
  type Comparison,
  type Condition,
  type FactValue,
  type Goal,
  type ItemFacts,
  type RewardEvent,
  type RewardFacts,
  type RewardRule,
} from './types.js';

/** Which rule counts for what. Null: no rule does, so the rates of affiliate, group and program count. */
export interface Decision {
  /** In the order of the items of the facts. */
  readonly items: readonly (RewardRule | null)[];
  /** For what is in no item that a rule takes. `nothing`: a rule with `stop` came before. */
  readonly rest: RewardRule | 'nothing' | null;
  /** The rules that apply to an edited order: those for single items, and the one for the rest. */
  readonly forEdits: readonly RewardRule[];
}

/** Finds the rules that count. Pure: the same rules and facts give the same result at any time. */
export function decide(rules: readonly RewardRule[], facts: RewardFacts): Decision {
  return decideSorted(rulesFor(rules, facts), facts);
}

/** The rules that may count for these facts, in the order they are asked. */
export const rulesFor = (rules: readonly RewardRule[], facts: RewardFacts): RewardRule[] =>
  rules
    .filter((rule) => reasonLeftOut(rule, facts) === null)
    .toSorted(
      (a, b) =>
        REWARD_SCOPES.indexOf(a.scope) - REWARD_SCOPES.indexOf(b.scope) ||
        Number(a.event !== facts.event) - Number(b.event !== facts.event) ||
        b.priority - a.priority,
    );

/**
 * The events whose rules may count. The first payment of a lead is a sale too: within a scope, the rules for
 * `activation` come before those for `sale`.
 */
export const eventsOf = (event: RewardEvent): readonly RewardEvent[] =>
  event === 'activation' ? ['activation', 'sale'] : [event];

function decideSorted(rules: readonly RewardRule[], facts: RewardFacts): Decision {
  const items: (RewardRule | null)[] = facts.items.map(() => null);
  const forEdits: RewardRule[] = [];
  for (const rule of rules) {
    if (isPerItem(rule)) {
      forEdits.push(rule);
      const fitting = facts.items.flatMap((item, at) =>
        items[at] === null && matches(rule, facts, item) ? [at] : [],
      );
      for (const at of fitting) items[at] = rule;
      if (rule.stop && fitting.length > 0) return { items, rest: 'nothing', forEdits };
    } else if (matches(rule, facts, null)) {
      forEdits.push(rule);
      return { items: rule.reward.kind === 'per_item' ? taken(items, rule) : items, rest: rule, forEdits };
    }
  }
  return { items, rest: null, forEdits };
}

const taken = (items: readonly (RewardRule | null)[], rule: RewardRule): (RewardRule | null)[] =>
  items.map((known) => known ?? rule);

const matches = ({ when }: RewardRule, facts: RewardFacts, item: ItemFacts | null): boolean =>
  when === null || truthOf(when, facts, item) === true;

/** Why a rule is not asked at all. */
export const LEFT_OUT = ['event', 'scope', 'every', 'months', 'payments'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export function reasonLeftOut(rule: RewardRule, facts: RewardFacts): LeftOut | null {
  if (!eventsOf(facts.event).includes(rule.event)) return 'event';
  if (!isInScopeOf(rule, facts)) return 'scope';
  const { every, months, payments } = rule.reward;
  const known = (fact: FactName): string | null => {
    const value = facts.order[fact];
    return typeof value === 'string' ? value : null;
  };
  if (every !== undefined) {
    const number = known(SALE_NUMBER);
    if (number === null || BigInt(number) % BigInt(every) !== 0n) return 'every';
  }
  const isBelow = (fact: FactName, limit: number, isIncluded: boolean): boolean => {
    const value = known(fact);
    if (value === null) return false;
    const order = compareDecimals(value, String(limit));
    return order < 0 || (isIncluded && order === 0);
  };
  if (months !== undefined && !isBelow('subscription.months', months, false)) return 'months';
  if (payments !== undefined && !isBelow('subscription.payment', payments, true)) return 'payments';
  return null;
}

/** Is the rule one that pays a goal? */
export const isGoal = (rule: RewardRule): rule is RewardRule & { readonly goal: Goal } =>
  rule.event === 'bonus' && rule.goal !== undefined;

export function isInScopeOf(
  { scope, scope_ids: ids }: Pick<RewardRule, 'scope' | 'scope_ids'>,
  facts: Pick<RewardFacts, 'campaign' | 'link_id' | 'affiliate_id' | 'group_id'>,
): boolean {
  if (scope === 'program') return true;
  if (scope === 'link')
    return ids.some((id) =>
      typeof id === 'number'
        ? id === facts.link_id
        : compare('text', { op: 'eq', value: id }, facts.campaign) === true,
    );
  const own = scope === 'affiliate' ? facts.affiliate_id : facts.group_id;
  return own !== null && ids.includes(own);
}

/**
 * An unknown fact makes its comparison unknown, and `not` leaves it unknown. In the end unknown counts as false,
 * so a comparison with an unknown fact never helps a rule, with or without `not`.
 */
export function truthOf(condition: Condition, facts: RewardFacts, item: ItemFacts | null): Truth {
  if (isComparison(condition)) return truthOfComparison(condition, facts, item);
  if ('not' in condition) return negated(truthOf(condition.not, facts, item));
  const isAll = 'all' in condition;
  let result: Truth = isAll;
  for (const each of isAll ? condition.all : condition.any) {
    const truth = truthOf(each, facts, item);
    if (truth === !isAll) return truth; // the others cannot change it
    if (truth === null) result = null;
  }
  return result;
}

const negated = (truth: Truth): Truth => (truth === null ? null : !truth);
const any = (truths: readonly Truth[]): Truth =>
  truths.includes(true) ? true : truths.includes(null) ? null : false;

function truthOfComparison(comparison: Comparison, facts: RewardFacts, item: ItemFacts | null): Truth {
  const of = itemFact(comparison.fact);
  if (of === null)
    return compare(FACTS[comparison.fact as FactName], comparison, facts.order[comparison.fact]);
  const kind = ITEM_FACTS[of.name];
  if (of.which === 'each_item' && item !== null) return compare(kind, comparison, item[of.name]);
  if (facts.items.length === 0) return null;
  return any(facts.items.map((each) => compare(kind, comparison, each[of.name])));
}

/** A condition with the values it saw. */
export interface EvaluatedCondition {
  readonly kind: 'all' | 'any' | 'not' | 'comparison';
  /** Null: a fact is unknown. */
  readonly result: Truth;
  readonly parts: readonly EvaluatedCondition[];
  readonly comparison?: Comparison;
  readonly seen?: readonly FactValue[];
}

const SEEN_MAX = 20;

export function explainCondition(condition: Condition, facts: RewardFacts): EvaluatedCondition {
  const result = truthOf(condition, facts, null);
  if (isComparison(condition))
    return { kind: 'comparison', result, parts: [], comparison: condition, seen: seenBy(condition, facts) };
  if ('not' in condition) return { kind: 'not', result, parts: [explainCondition(condition.not, facts)] };
  const [kind, parts] =
    'all' in condition ? (['all', condition.all] as const) : (['any', condition.any] as const);
  return { kind, result, parts: parts.map((each) => explainCondition(each, facts)) };
}

function seenBy({ fact }: Comparison, facts: RewardFacts): FactValue[] {
  const of = itemFact(fact);
  const values = of === null ? [facts.order[fact]] : facts.items.flatMap((item) => item[of.name]);
  return values.filter((value) => value !== null && value !== undefined).slice(0, SEEN_MAX);
}

/** What became of a rule for these facts. */
export interface ExplainedRule {
  readonly rule: RewardRule;
  /** `later`: it matches too, but others took everything before it. */
  readonly outcome: 'counted' | 'later' | 'no_match' | 'left_out';
  readonly left_out: LeftOut | null;
  readonly condition: EvaluatedCondition | null;
}

/** Explains every rule, in the order they are asked; those that are not asked come last. */
export function explainRules(rules: readonly RewardRule[], facts: RewardFacts): ExplainedRule[] {
  const asked = rulesFor(rules, facts);
  const decision = decideSorted(asked, facts);
  const counted = new Set([...decision.items, decision.rest]);
  return [...asked, ...rules.filter((rule) => !asked.includes(rule))].map((rule): ExplainedRule => {
    const left_out = reasonLeftOut(rule, facts);
    const condition = rule.when && explainCondition(rule.when, facts);
    if (left_out !== null) return { rule, outcome: 'left_out', left_out, condition };
    if (counted.has(rule)) return { rule, outcome: 'counted', left_out, condition };
    const fits = isPerItem(rule)
      ? facts.items.some((item) => matches(rule, facts, item))
      : matches(rule, facts, null);
    return { rule, outcome: fits ? 'later' : 'no_match', left_out, condition };
  });
}
