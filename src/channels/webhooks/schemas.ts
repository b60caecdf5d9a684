import type { Static } from 'typebox';
import {
  anyObject,
  array,
  boolean,
  dayFilters,
  Id,
  integer,
  listQuery,
  named,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  Type,
} from '../../platform/http/schema.js';
import { OUTBOX_STATUSES } from '../../program/outbox/types.js';
import { EVENT_TYPES } from '../../program/event-log/types.js';
import { anyEventData } from './data-schemas.js';
import { deliveries, ENDPOINT_STATUSES, endpoints } from './record.js';

const types = Type.Unsafe<string[]>({
  type: 'array',
  items: { type: 'string', maxLength: 60 },
  maxItems: 60,
});

const fields = {
  description: optional(Type.String({ maxLength: 1000 })),
  status: optional(oneOf(...ENDPOINT_STATUSES)),
  payment_details: optional(boolean),
  confirm: optional(boolean),
};
export const newEndpoint = Type.Object({ url: Type.String({ maxLength: 4000 }), events: types, ...fields });
export const endpointPatch = Type.Object({
  url: optional(Type.String({ maxLength: 4000 })),
  events: optional(types),
  ...fields,
});

const record = named('Webhook', object(endpoints.wire));
export type EndpointDto = Static<typeof record>;
export const endpointList = object({ webhooks: array(record) });
export const endpointResponse = object({ webhook: record });
export const endpointSaved = object({ message: string, webhook: record });
export const endpointIssued = object({ message: string, webhook: record, secret: string });
export const secretResponse = object({ secret: string });

export const pingResponse = object({
  message: string,
  delivered: boolean,
  status: nullable(integer),
  answer: string,
  error: nullable(string),
});

export const deliveryParams = Type.Object({ id: Id, delivery_id: Id });
export const deliveryList = listQuery(20, { ...dayFilters, status: optional(oneOf(...OUTBOX_STATUSES)) });
const { kind: type, last_error: error, ...shown } = deliveries.wire;
const delivery = object({ ...shown, type, error });
export type DeliveryDto = Static<typeof delivery>;
export const deliveryPage = object({ deliveries: pageOf(delivery) });

/** ISO 8601 with a zone; checked by the handler. */
export const replayForm = Type.Object(
  { from: optional(Type.String({ maxLength: 40 })) },
  { demanded: ['from'] },
);
export const replayResponse = object({ message: string, events: integer });

export const eventTypes = oneOf(...EVENT_TYPES);
/** An event as endpoints are sent it. */
const eventBody = object({ type: eventTypes, timestamp: string, data: anyEventData, previous: anyObject });
export type EventBody = Static<typeof eventBody>;
export const catalogResponse = object({
  events: array(
    object({
      type: eventTypes,
      object: string,
      description: string,
      on_request: boolean,
      example: eventBody,
    }),
  ),
});

export const eventQuery = Type.Object({
  after: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  type: optional(Type.Unsafe<string[]>({ type: 'array', items: eventTypes, maxItems: 60 })),
  limit: optional(Type.Integer({ minimum: 1, maximum: 500 })),
});
const listedEvent = object({
  id: integer,
  webhook_id: string,
  ...eventBody.properties,
});
export type EventDto = Static<typeof listedEvent>;
export const eventList = object({ events: array(listedEvent), last_id: integer });
