import { id, line, ref, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { FRAUD_ACTIONS, FRAUD_RULES } from './types.js';

/** Suspicious orders, one per rule, affiliate and customer. */
export const fraudEvents = record('fraud_events', {
  id: id({ sort: true }),
  rule: word(FRAUD_RULES),
  action: word(FRAUD_ACTIONS),
  affiliate_id: id(),
  /** Null for a rejected order, and when the referral was deleted. */
  referral_id: ref(),
  provider: line(),
  provider_id: line(),
  created_at: time(),
});

export type FraudEvent = RecordOf<typeof fraudEvents>;
