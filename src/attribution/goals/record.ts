import { GOAL_METRICS } from '../../core/rewards/types.js';
import { id, line, ref, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** A move of an affiliate between levels. */
export const levelMoves = record('affiliate_levels', {
  id: id(),
  affiliate_id: id(),
  /** The window that was checked; it moves an affiliate once. */
  window_key: line(),
  /** Null: no group. */
  from_group: ref(),
  to_group: ref(),
  metric: word(GOAL_METRICS),
  /** What the affiliate had reached, as decimal text. */
  value: line(),
  /** The rule set that had the levels. */
  set_id: id(),
  created_at: time(),
});

export type LevelMove = RecordOf<typeof levelMoves>;
