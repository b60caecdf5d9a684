import type { Static } from 'typebox';
import {
  GOAL_METRICS,
  GOAL_WINDOWS,
  REWARD_EVENTS,
  REWARD_SCOPES,
  type Levels,
  type RewardRule,
} from '../../core/rewards/types.js';
import { named, stringOf, yesNo } from '../../core/dto-schema.js';
import {
  array,
  boolean,
  dateTime,
  day,
  flag,
  idList,
  integer,
  deferred,
  mapOf,
  listQuery,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  textarea,
  Type,
} from '../../platform/http/schema.js';
import { condition, reward, rewardTerms, decimal } from '../api-schemas.js';
import { UNPRICEABLE_REASONS } from './types.js';
import { SET_STATES } from './words.js';

const goal = object({
  metric: oneOf(...GOAL_METRICS),
  at_least: decimal,
  window: oneOf(...GOAL_WINDOWS),
  repeat: oneOf('once', 'each_window'),
});
export const rewardRule = named(
  'RewardRule',
  Type.Unsafe<RewardRule>(
    object({
      key: string,
      title: string,
      event: oneOf(...REWARD_EVENTS),
      scope: oneOf(...REWARD_SCOPES),
      scope_ids: array(Type.Unsafe<number | string>({ type: ['integer', 'string'] })),
      when: nullable(condition),
      reward,
      priority: integer,
      stop: boolean,
      goal: optional(goal),
    }),
  ),
);
const levels = Type.Unsafe<Levels>(
  object({
    metric: oneOf(...GOAL_METRICS),
    window: oneOf(...GOAL_WINDOWS),
    steps: array(object({ at_least: decimal, group: integer })),
    down: boolean,
    grace_days: integer,
  }),
);

export const rewardSet = named(
  'RewardSet',
  object({
    id: integer,
    version: integer,
    state: oneOf(...SET_STATES),
    effective_from: dateTime,
    effective_until: dateTime,
    note: string,
    rules: array(rewardRule),
    levels: nullable(levels),
    simulation: nullable(object({ hash: string, ended_at: dateTime })),
    created_by: nullable(integer),
    edited_by: nullable(integer),
    created_at: dateTime,
    updated_at: dateTime,
  }),
);
export type RewardSetDto = Static<typeof rewardSet>;

export const setQuery = listQuery(20, {});
export const setPage = object({
  reward_rules: pageOf(rewardSet),
  /** Whether the terms are public. */
  terms_public: yesNo,
});
export const setResponse = object({ reward_rules: rewardSet });
export const setSaved = object({ message: string, reward_rules: rewardSet });
export const setForm = object({
  rules: optional(deferred(array(rewardRule), 'Up to 200 rules')),
  levels: optional(deferred(nullable(levels))),
  note: optional(textarea(2000)),
});
export const setCreate = object({
  ...setForm.properties,
  from: optional(deferred(integer, 'ID of the rule set to copy rules from')),
});
export const activateBody = object({
  simulation: optional(stringOf(64)),
  without_simulation: optional(boolean),
  effective_from: optional(Type.Unsafe<number>({ type: 'integer', description: 'Epoch milliseconds' })),
});
export const factsResponse = object({
  facts: array(object({ fact: string, kind: string, ops: array(string) })),
});

export const termsResponse = object({ terms: rewardTerms });
export const termsBody = object({ public: flag });
export const termsSaved = object({ message: string, public: yesNo });

export const simulateBody = object({
  from: day,
  to: day,
  affiliates: optional(idList),
  groups: optional(idList),
});
const compared = { currency: string, orders: integer, before: number, after: number };
const person = object({ affiliate_id: integer, ...compared });
export const simulationResponse = object({
  simulation: object({
    state: oneOf('none', 'running', 'stopped', 'done'),
    done: integer,
    total: integer,
    hash: nullable(string),
    result: nullable(
      Type.Unsafe<Readonly<Record<string, unknown>>>(
        object({
          scope: object({
            from: integer,
            until: integer,
            affiliates: array(integer),
            groups: array(integer),
          }),
          totals: array(object(compared)),
          groups: array(object({ group_id: nullable(integer), ...compared })),
          months: array(object({ month: string, ...compared })),
          winners: array(person),
          losers: array(person),
          differences: array(
            object({
              order_id: integer,
              referral_id: nullable(integer),
              affiliate_id: integer,
              currency: string,
              before: number,
              after: number,
              rules_before: array(string),
              rules_after: array(string),
              /** The sentences of what counted, by language. */
              said_before: array(mapOf(string)),
              said_after: array(mapOf(string)),
            }),
          ),
          unknown: array(
            object({ why: oneOf(...UNPRICEABLE_REASONS), count: integer, order_ids: array(integer) }),
          ),
        }),
      ),
    ),
  }),
});
