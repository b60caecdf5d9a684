import type { ProviderEvent } from '../../../adapters/commerce.js';
import { count, id, inside, json, line, text, time, timeOrNone, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** The state of a delivered event. `received` with `awaits_ref`: it waits for its order. */
export const DELIVERY_STATUSES = ['received', 'processing', 'done', 'ignored', 'failed', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Events that shops have delivered, each stored before it is processed. */
export const deliveries = record('provider_deliveries', {
  id: id(),
  provider: line(),
  /** A repeated delivery has the same key. */
  delivery_key: inside(line()),
  topic: text(),
  status: word(DELIVERY_STATUSES),
  reason: text(),
  attempts: count(),
  received_at: time(),
  next_attempt_at: timeOrNone(),
  claimed_at: inside(timeOrNone()),
  awaits_ref: inside(text()),
  /** What the provider has read; a body that it could not read is stored in `raw` and never processed. */
  event: inside(json<ProviderEvent>()),
  updated_at: inside(time()),
});

export type DeliveryRow = RecordOf<typeof deliveries>;
