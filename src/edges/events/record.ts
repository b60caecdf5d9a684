import { count, id, line, ref, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { OUTBOX_STATUSES } from '../../program/outbox/types.js';

/** Deliveries to endpoints: entries of the outbox whose kind is the type of an event. */
export const deliveries = record('outbox', {
  id: id(),
  event_id: ref(),
  kind: line(),
  status: word(OUTBOX_STATUSES),
  attempts: count(),
  next_attempt_at: time(),
  answer_status: ref(),
  answer: text(),
  last_error: text(),
  created_at: time(),
  updated_at: time(),
});

export type Delivery = RecordOf<typeof deliveries>;
