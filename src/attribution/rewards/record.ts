import type { RewardBody } from '../../core/rewards/types.js';
import { anyObject } from '../../core/dto-schema.js';
import { count, id, json, jsonOr, line, ref, time, timeOrNone, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { SET_STATES, type SimulationRow } from './words.js';

/** A version of the reward rules. An active or retired set never changes but for its last day. */
export const rewardSets = record('reward_sets', {
  id: id(),
  version: count(),
  state: word(SET_STATES),
  /** It counts for orders from this time; null for drafts. */
  effective_from: timeOrNone(),
  /** It counts for orders before this time; null: no other set follows. */
  effective_until: timeOrNone(),
  note: line(),
  body: jsonOr<RewardBody>({ rules: [], levels: null }, anyObject),
  /** The last simulation of the draft. */
  simulation: json<SimulationRow>(),
  created_by: ref(),
  /** Who changed the draft last. */
  edited_by: ref(),
  created_at: time(),
  updated_at: time(),
});

export type RewardSet = RecordOf<typeof rewardSets>;
