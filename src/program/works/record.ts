import { anyObject } from '../../core/wire-schema.js';
import { count, id, jsonOr, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** A payout run, the undoing of a payout, a recount of all figures. */
export const WORK_KINDS = ['payout', 'payout_undo', 'recount'] as const;

/** Work that takes longer than a moment; everybody can see it while it runs. */
export const works = record('works', {
  kind: word(WORK_KINDS),
  /** The payout that is being undone; 0 for work that is not about a single record. */
  object_id: id(),
  /** The progress, in the unit of `total`: referrals, payments or steps. */
  done: count(),
  total: count(),
  /** What is needed to continue it. */
  details: jsonOr<Readonly<Record<string, unknown>>>({}, anyObject),
  started_at: time(),
  /** When its progress was reported last. */
  seen_at: time(),
});

export type Work = RecordOf<typeof works>;
