import type { Outcome } from '../../../adapters/commerce.js';
import { canReplay } from './inbox.js';
import type { WireDelivery, WireOutcome } from './schemas.js';
import { deliveries, type StoredDelivery } from './record.js';

export const presentDelivery = (row: StoredDelivery): WireDelivery => ({
  ...deliveries.present(row),
  can_replay: canReplay(row),
});

export const presentOutcome = ({ result, reason, referral_id: id }: Outcome): WireOutcome => ({
  result,
  reason: reason ?? null,
  referral_id: id ?? null,
});
