import type { Outcome } from '../../../adapters/commerce.js';
import { toIso } from '../../core/dates.js';
import { canReplay } from './inbox.js';
import type { WireDelivery, WireOutcome } from './schemas.js';
import type { StoredDelivery } from './types.js';

export const presentDelivery = (row: StoredDelivery): WireDelivery => ({
  id: row.id,
  provider: row.provider,
  topic: row.topic,
  status: row.status,
  reason: row.reason,
  attempts: row.attempts,
  received_at: toIso(row.received_at),
  next_attempt_at: toIso(row.next_attempt_at),
  can_replay: canReplay(row),
});

export const presentOutcome = ({ result, reason, referral_id: id }: Outcome): WireOutcome => ({
  result,
  reason: reason ?? null,
  referral_id: id ?? null,
});
