import { anyObject } from '../../core/dto-schema.js';
import { count, id, jsonOr, ref, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { OPERATION_KINDS, OPERATION_STATES } from './words.js';

/** Long work, shown to users while it runs. */
export const operations = record('works', {
  kind: word(OPERATION_KINDS),
  /** The payout, affiliate or order it is about; 0 for work that is not about a single record. */
  object_id: id(),
  /** The progress, in the unit of `total`: referrals, payments or steps. */
  done: count(),
  total: count(),
  /** What is needed to continue it. */
  details: jsonOr<Readonly<Record<string, unknown>>>({}, anyObject),
  state: word(OPERATION_STATES),
  /** How often the step at hand failed for the same reason. */
  failures: count(),
  /** The code of that error. */
  reason: text(),
  /** Its sentence, if it is meant for people. */
  message: text(),
  /** Who began it; null for code. */
  user_id: ref(),
  started_at: time(),
  /** When its progress was reported last. */
  seen_at: time(),
});

export type Operation = RecordOf<typeof operations>;
