import type { Static } from 'typebox';
import { named, yesNo } from '../../core/dto-schema.js';
import { rewardTerms } from '../api-schemas.js';
import { GOAL_METRICS, GOAL_WINDOWS } from '../../core/rewards/types.js';
import {
  array,
  dateTime,
  flag,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  string,
} from '../../platform/http/schema.js';

const span = { window: oneOf(...GOAL_WINDOWS), from: dateTime, until: dateTime };

const goal = named(
  'GoalProgress',
  object({
    key: string,
    title: string,
    metric: oneOf(...GOAL_METRICS),
    at_least: string,
    value: string,
    ...span,
    repeat: oneOf('once', 'each_window'),
    reward: number,
    /** `open`: not reached yet; `earned`; `taken_back`: refunds took it below; `refused` by a person. */
    state: oneOf('open', 'earned', 'taken_back', 'refused'),
    referral_id: nullable(integer),
    sentences: mapOf(string),
  }),
);
export type GoalDto = Static<typeof goal>;

const bonus = object({
  referral_id: integer,
  key: string,
  title: string,
  amount: number,
  currency: string,
  state: oneOf('earned', 'taken_back', 'refused'),
  ...span,
  created_at: dateTime,
});
export type BonusDto = Static<typeof bonus>;

const move = object({
  from_group: nullable(integer),
  from_name: nullable(string),
  to_group: nullable(integer),
  to_name: nullable(string),
  metric: oneOf(...GOAL_METRICS),
  value: string,
  window: string,
  created_at: dateTime,
});
export type MoveDto = Static<typeof move>;

const level = object({
  metric: oneOf(...GOAL_METRICS),
  ...span,
  /** What the running window has reached. */
  value: string,
  pinned: yesNo,
  /** The place of the affiliate's group in `steps`; null when it is none of them. */
  current: nullable(integer),
  /** The step that `value` reaches; null for none. */
  reached: nullable(integer),
  steps: array(object({ at_least: string, group_id: integer, name: nullable(string) })),
  history: array(move),
});
export type LevelDto = Static<typeof level>;

export const progress = named(
  'RewardProgress',
  object({ currency: string, goals: array(goal), bonuses: array(bonus), level: nullable(level) }),
);
export type ProgressDto = Static<typeof progress>;

export const progressResponse = object({ terms: rewardTerms, progress });
export const pinBody = object({ pinned: flag });
export const pinSaved = object({ message: string, pinned: yesNo });
