import { isMap } from '../../core/is-map.js';
import { minor, toDecimal } from '../../core/money.js';
import {
  eventsOf,
  explainRules,
  type ExplainedRule,
  type EvaluatedCondition,
} from '../../core/rewards/evaluate.js';
import { sentencesOf } from '../../core/rewards/sentences.js';
import type { RewardFacts, RewardRule } from '../../core/rewards/types.js';
import type { FrozenRewards } from '../../accounting/orders/types.js';
import type { RulesDto, SeenConditionDto } from '../../api-schemas.js';

interface Line {
  readonly source: string;
  readonly base_minor: number;
  readonly amount_minor: number;
}

/**
 * Explains the rules of a recorded order: those that counted with what they gave when it was recorded, and why
 * the others did not.
 */
export function explainFrozen(
  frozen: FrozenRewards,
  of: { readonly rules: readonly RewardRule[]; readonly lines: unknown; readonly currency: string },
): RulesDto {
  const { rules, lines, currency } = of;
  const asked = explainRules(
    rules.filter(
      ({ event, key }) =>
        eventsOf(frozen.facts.event).includes(event) &&
        (event !== 'bonus' || key === frozen.facts.order['goal.rule']),
    ),
    frozen.facts,
  );
  const given = linesOf(lines);
  const money = (value: number): string => toDecimal(minor(value), currency);
  return {
    set_id: frozen.set?.id ?? 0,
    version: frozen.set?.version ?? 0,
    facts: factsShown(frozen.facts),
    facts_hash: frozen.facts_hash,
    counted: asked.flatMap(({ rule, outcome }) => {
      if (outcome !== 'counted') return [];
      const own = given.filter(({ source }) => source === `rule:${rule.key}`);
      const sum = (of: 'base_minor' | 'amount_minor'): number => own.reduce((all, line) => all + line[of], 0);
      const values = {
        title: titleOf(rule),
        rate: rule.reward.value,
        base: money(sum('base_minor')),
        amount: money(sum('amount_minor')),
      };
      const { kind } = rule.reward;
      const goal = goalOf(frozen.facts);
      const sentences = sentencesOf(
        goal === null ? { kind, values } : { kind: 'bonus', values: { ...values, ...goal } },
      );
      return [{ key: rule.key, title: values.title, kind, values: { ...values, ...goal }, sentences }];
    }),
    others: asked.filter(({ outcome }) => outcome !== 'counted').map(presentOther),
  };
}

export const presentOther = ({ rule, outcome, left_out, condition }: ExplainedRule) => ({
  key: rule.key,
  title: titleOf(rule),
  outcome,
  left_out,
  condition: condition && presentCondition(condition),
});

export function presentCondition({
  kind,
  result,
  parts,
  comparison,
  seen,
}: EvaluatedCondition): SeenConditionDto {
  return {
    kind,
    result: result === null ? 'unknown' : result ? 'true' : 'false',
    parts: parts.map(presentCondition),
    ...(comparison && {
      fact: comparison.fact,
      op: comparison.op,
      value: comparison.value,
      seen: seen ?? [],
    }),
  };
}

/** What a goal asked for, and what the affiliate had reached; null for other events. */
function goalOf({ event, order }: RewardFacts): { readonly goal: string; readonly reached: string } | null {
  if (event !== 'bonus') return null;
  return { goal: String(order['goal.at_least'] ?? ''), reached: String(order['goal.value'] ?? '') };
}

const titleOf = ({ title, key }: RewardRule): string => title || key;

const factsShown = ({ order, items, ...scope }: RewardFacts): Readonly<Record<string, unknown>> => ({
  ...scope,
  ...order,
  items,
});

/** The lines of a commission's explanation, as its settings keep it. */
function linesOf(lines: unknown): readonly Line[] {
  if (!Array.isArray(lines)) return [];
  return lines.filter(isMap).map((line) => ({
    source: String(line['source']),
    base_minor: Number(line['base_minor']),
    amount_minor: Number(line['amount_minor']),
  }));
}
