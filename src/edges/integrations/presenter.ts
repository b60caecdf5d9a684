import type { Outcome } from '../../../adapters/commerce.js';
import { PROBLEMS } from '../../core/unreadable-field.js';
import { canReplay } from './inbox.js';
import type { WireDelivery, WireOutcome } from './schemas.js';
import { deliveries, type StoredDelivery } from './record.js';
import { unreadableIn } from './unreadable.js';

export const presentDelivery = (row: StoredDelivery): WireDelivery => ({
  ...deliveries.present(row),
  can_replay: canReplay(row),
  problem: problemOf(row),
});

/** The field that could not be read, and why. */
function problemOf({ event }: StoredDelivery): WireDelivery['problem'] {
  const problem = unreadableIn(event)?.problem ?? null;
  return problem && { field: problem.field, message: PROBLEMS[problem.problem] };
}

export const presentOutcome = ({ result, reason, referral_id: id }: Outcome): WireOutcome => ({
  result,
  reason: reason ?? null,
  referral_id: id ?? null,
});
