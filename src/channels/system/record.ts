import { OUTBOX_STATUSES } from '../../program/outbox/types.js';
import { count, id, line, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** What people may see of the outbox: mails and deliveries to other systems. */
export const outboxEntries = record('outbox', {
  id: id(),
  channel: line(),
  kind: line(),
  /** `admin`, `affiliate:<id>`, `webhook:<id>`, or an address. */
  recipient: line(),
  status: word(OUTBOX_STATUSES),
  attempts: count(),
  last_error: text(),
  /** What the mail server or the endpoint responded. */
  answer: text(),
  next_attempt_at: time(),
  created_at: time(),
});

export type OutboxEntry = RecordOf<typeof outboxEntries>;
