import type { Outcome } from '../../../adapters/commerce.js';
import { PROBLEMS } from '../../core/unreadable-field.js';
import { canReplay } from './inbox.js';
import type { DeliveryDto, OutcomeDto } from './schemas.js';
import { deliveries, type DeliveryRow } from './record.js';
import { unreadableIn } from './unreadable.js';

export const presentDelivery = (row: DeliveryRow): DeliveryDto => ({
  ...deliveries.present(row),
  can_replay: canReplay(row),
  problem: problemOf(row),
});

/** The field that could not be read, and why. */
function problemOf({ event }: DeliveryRow): DeliveryDto['problem'] {
  const problem = unreadableIn(event)?.problem ?? null;
  return problem && { field: problem.field, message: PROBLEMS[problem.problem] };
}

export const presentOutcome = ({ result, reason, referral_id: id }: Outcome): OutcomeDto => ({
  result,
  reason: reason ?? null,
  referral_id: id ?? null,
});
