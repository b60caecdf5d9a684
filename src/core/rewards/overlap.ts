import { compare, compareValues } from './compare.js';
import { isComparison, isPerItem, itemFact, kindOf, type FactKind } from './facts.js';
import type { Comparison, Condition, FactValue, RewardRule } from './types.js';

/** Two rules of one scope and priority that an order may both match, so that neither comes first. */
export function undecidedPairs(rules: readonly RewardRule[]): (readonly [string, string])[] {
  return rules.flatMap((one, at) =>
    rules
      .slice(at + 1)
      .filter((other) => one.event !== 'bonus' && mayBothMatch(one, other))
      .map((other) => [one.key, other.key] as const),
  );
}

function mayBothMatch(one: RewardRule, other: RewardRule): boolean {
  if (one.event !== other.event || one.scope !== other.scope || one.priority !== other.priority) return false;
  if (one.scope !== 'program' && !shareAnId(one, other)) return false;
  const arePerItem = isPerItem(one) && isPerItem(other);
  return !required(one.when, arePerItem).some((left) =>
    required(other.when, arePerItem).some((right) => exclude(left, right)),
  );
}

function shareAnId({ scope, scope_ids: ids }: RewardRule, other: RewardRule): boolean {
  if (scope !== 'link') return ids.some((id) => other.scope_ids.includes(id));
  const same = (id: number | string, of: number | string): boolean =>
    typeof id === 'number' || typeof of === 'number' ? id === of : compareValues('text', id, of) === 0;
  return ids.some((id) => other.scope_ids.some((of) => same(id, of)));
}

/** The comparisons that must be true for the condition. Only facts with a single value are looked at. */
function required(condition: Condition | null, arePerItem: boolean): readonly Comparison[] {
  if (condition === null) return [];
  if (isComparison(condition)) {
    const of = itemFact(condition.fact);
    const isSingle = of === null || (arePerItem && of.which === 'each_item' && of.name !== 'category');
    return isSingle ? [condition] : [];
  }
  return 'all' in condition ? condition.all.flatMap((each) => required(each, arePerItem)) : [];
}

/** Can no value make both comparisons true? */
function exclude(left: Comparison, right: Comparison): boolean {
  const kind = kindOf(left.fact);
  if (left.fact !== right.fact || kind === null) return false;
  const fixed = [left, right].find(({ op }) => op === 'eq' || op === 'in');
  const other = fixed === left ? right : left;
  return fixed
    ? valuesOf(fixed).every((value) => compare(kind, other, value) === false)
    : areApart(kind, [left, right]);
}

/** Does one comparison only allow values above those that the other allows? */
function areApart(kind: FactKind, both: readonly Comparison[]): boolean {
  const low = both.find(({ op }) => op === 'gt' || op === 'gte');
  const high = both.find(({ op }) => op === 'lt' || op === 'lte');
  if (!low || !high) return false;
  const order = compareValues(kind, valuesOf(low)[0] ?? '', valuesOf(high)[0] ?? '');
  return order > 0 || (order === 0 && (low.op === 'gt' || high.op === 'lt'));
}

const valuesOf = ({ value }: Comparison): readonly FactValue[] =>
  Array.isArray(value) ? (value as readonly FactValue[]) : [value as FactValue];
