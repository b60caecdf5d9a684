import { anyObject } from '../../core/dto-schema.js';
import { count, id, jsonOr, ref, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/**
 * A payout run, marking its payments paid, its undoing, a merge of two affiliates, the deletion of old visits, a
 * recount of all figures, the wipe of all data, the orders that follow a changed one, a change of the currency, a
 * simulation of reward rules.
 */
export const WORK_KINDS = [
  'payout',
  'payout_paid',
  'payout_undo',
  'merge',
  'retention',
  'recount',
  'wipe',
  'followers',
  'currency',
  'reward_simulation',
  'reward_mails',
] as const;

/**
 * `told`: its progress is only reported. The engine does the others in steps: `running` ones go on by
 * themselves, `stopped` ones when a person says so.
 */
export const WORK_STATES = ['told', 'running', 'stopped'] as const;

/** Work that takes longer than a moment; everybody can see it while it runs. */
export const works = record('works', {
  kind: word(WORK_KINDS),
  /** The payout, affiliate or order it is about; 0 for work that is not about a single record. */
  object_id: id(),
  /** The progress, in the unit of `total`: referrals, payments or steps. */
  done: count(),
  total: count(),
  /** What is needed to continue it. */
  details: jsonOr<Readonly<Record<string, unknown>>>({}, anyObject),
  state: word(WORK_STATES),
  /** How often the step at hand failed for the same reason. */
  failures: count(),
  reason: text(),
  /** Who began it; null for code. */
  user_id: ref(),
  started_at: time(),
  /** When its progress was reported last. */
  seen_at: time(),
});

export type Work = RecordOf<typeof works>;
