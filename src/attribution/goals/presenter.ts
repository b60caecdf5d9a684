import { toIso } from '../../core/dates.js';
import { flatAmount, toWire } from '../../core/money.js';
import { parseRate } from '../../core/rate.js';
import { ruleSentences } from '../../core/rewards/terms.js';
import type { WindowSpan } from '../../core/rewards/windows.js';
import type { KnownBonus } from './goals.js';
import type { BonusDto, GoalDto, MoveDto } from './schemas.js';
import type { GoalRule, LevelMove } from './types.js';

export function presentGoal(
  rule: GoalRule,
  of: {
    readonly span: WindowSpan;
    readonly value: string;
    readonly bonus: KnownBonus | undefined;
    readonly currency: string;
  },
): GoalDto {
  const { key, title, goal, reward } = rule;
  const { span, bonus, currency } = of;
  return {
    key,
    title: title || key,
    metric: goal.metric,
    at_least: goal.at_least,
    value: of.value,
    window: goal.window,
    from: span.from === 0 ? null : toIso(span.from),
    until: toIso(span.until),
    repeat: goal.repeat,
    reward: toWire(flatAmount(parseRate(reward.value) ?? 0, currency), currency),
    state: bonus === undefined ? 'open' : stateOf(bonus),
    referral_id: bonus?.referral.id ?? null,
    sentences: ruleSentences(rule, currency),
  };
}

export function presentBonus(bonus: KnownBonus, program: string): BonusDto {
  const { referral, goal } = bonus;
  const currency = referral.currency ?? program;
  return {
    referral_id: referral.id,
    key: goal.rule,
    title: referral.description ?? goal.rule,
    amount: toWire(referral.amount_minor, currency),
    currency,
    state: stateOf(bonus),
    window: goal.window,
    from: goal.from === 0 ? null : toIso(goal.from),
    until: toIso(goal.until),
    created_at: toIso(referral.created_at),
  };
}

export const presentMove = (move: LevelMove, nameOf: (id: number | null) => string | null): MoveDto => ({
  from_group: move.from_group,
  from_name: nameOf(move.from_group),
  to_group: move.to_group,
  to_name: nameOf(move.to_group),
  metric: move.metric,
  value: move.value,
  window: move.window_key,
  created_at: toIso(move.created_at),
});

const stateOf = ({ order }: KnownBonus): BonusDto['state'] => {
  if (order.due_status !== 'rejected') return 'earned';
  return order.reject_reason === 'canceled' ? 'taken_back' : 'refused';
};
