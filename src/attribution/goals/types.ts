import type { Affiliate } from '../../program/affiliates/types.js';
import type { GoalMetric, GoalWindow, RewardRule } from '../../core/rewards/types.js';

export type { LevelMove } from './record.js';

/** A rule for the event `bonus`. */
export type GoalRule = RewardRule & { readonly goal: NonNullable<RewardRule['goal']> };

/** A goal as it was reached; stored with the commission. */
export interface ReachedGoal {
  readonly rule: string;
  readonly metric: GoalMetric;
  readonly at_least: string;
  readonly window: GoalWindow;
  readonly window_key: string;
  readonly from: number;
  readonly until: number | null;
  readonly repeat: 'once' | 'each_window';
}

/** A move to another group, and the window that was checked. */
export interface LevelChange {
  readonly affiliate: Affiliate;
  readonly window: string;
}
