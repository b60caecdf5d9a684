import { id, jsonOr, line, ref, time, timeOrNone, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { anyObject } from '../../core/dto-schema.js';
import type { Audience } from './types.js';

export const messages = record('messages', {
  id: id(),
  subject: line(),
  body: line(),
  audience: jsonOr<Audience>({}, anyObject),
  /** `queued`: the outbox is being filled, step by step. */
  status: word(['queued', 'done']),
  recipients: id(),
  last_affiliate_id: ref(),
  portal_until: timeOrNone(),
  created_by: ref(),
  created_at: time(),
});

export type Message = RecordOf<typeof messages>;
