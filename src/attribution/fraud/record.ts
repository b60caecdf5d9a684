import { Type } from '../../core/type.js';
import { integer, oneOf, string } from '../../core/dto-schema.js';
import { id, json, line, ref, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { FRAUD_ACTIONS, FRAUD_RULES, OWN_MATCHES, type FraudEvidence } from './words.js';

/** What a rule saw; each rule fills some of the fields. */
const evidence = Type.Object({
  match: Type.Optional(oneOf(...OWN_MATCHES)),
  site: Type.Optional(string),
  sign: Type.Optional(string),
  seconds: Type.Optional(integer),
  limit: Type.Optional(integer),
  sales: Type.Optional(integer),
  given_back: Type.Optional(integer),
  other_affiliate_id: Type.Optional(integer),
});

/** Suspicious orders, one per rule, affiliate and customer. */
export const fraudEvents = record('fraud_events', {
  id: id({ sort: true }),
  rule: word(FRAUD_RULES),
  action: word(FRAUD_ACTIONS),
  affiliate_id: id(),
  /** Null for a rejected order, or when the referral was deleted. */
  referral_id: ref(),
  provider: line(),
  provider_id: line(),
  evidence: json<FraudEvidence>(evidence),
  created_at: time(),
});

export type FraudEvent = RecordOf<typeof fraudEvents>;
