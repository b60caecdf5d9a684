import { EVENT_TYPES, type EventData } from '../../program/event-log/types.js';
import { OUTBOX_STATUSES } from '../../program/outbox/types.js';
import { anyObject, array, string } from '../../core/dto-schema.js';
import {
  count,
  flag,
  id,
  inside,
  jsonOr,
  line,
  ref,
  text,
  time,
  timeOrNone,
  word,
  wordOrNone,
} from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

export const ENDPOINT_STATUSES = ['active', 'disabled'] as const;

/** An endpoint of another system that gets events. */
export const endpoints = record('webhook_endpoints', {
  id: id(),
  url: line({ audit: true }),
  description: line({ audit: true }),
  /** Types of events, or `*` for all except those that have to be named. */
  events: jsonOr<readonly string[]>([], array(string), { audit: true }),
  status: word(ENDPOINT_STATUSES, { audit: true }),
  /**
   * `gone`: it returned 410; `failing`: it failed for five days; null: a person switched it off, or it is
   * active.
   */
  disabled_reason: wordOrNone(['gone', 'failing']),
  /** Payment addresses and bank details are sent too. */
  payment_details: flag({ audit: true }),
  /** Sealed with the service secret. */
  secret: inside(line()),
  former_secret: inside(text()),
  former_until: inside(timeOrNone()),
  failing_since: timeOrNone(),
  failures: inside(count()),
  paused_until: inside(timeOrNone()),
  created_by: ref(),
  created_at: time(),
  updated_at: time(),
});

/** An event with its id. Ids grow in the order in which events can be read. */
export const events = record('events', {
  id: id(),
  type: word(EVENT_TYPES),
  object_type: line(),
  object_id: line(),
  data: jsonOr<EventData>({}, anyObject),
  /** The fields that changed, with their former values. */
  previous: jsonOr<EventData>({}, anyObject),
  created_at: time(),
});

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

export type Endpoint = RecordOf<typeof endpoints>;
export type OutgoingEvent = RecordOf<typeof events>;
export type WebhookDelivery = RecordOf<typeof deliveries>;
