import type { TProperties, TSchema } from 'typebox';
import { lineOf } from './catalog.js';
import { exampleOf } from './examples.js';
import { EVENT_DATA } from './data-schemas.js';
import { object, optional } from '../../platform/http/schema.js';
import { PublicSchemas, type Json } from '../../platform/http/public-schema.js';
import { EVENT_TYPES, type EventType } from '../../program/event-log/types.js';

// Named records become references; the routes put these records into the document.
const schemas = (): PublicSchemas => new PublicSchemas();

/** The same fields, none of them required. */
const someOf = ({ properties = {} }: TSchema & { readonly properties?: TProperties }): TSchema =>
  object(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, optional(field)])));

const schemaOf = (type: EventType): Json => ({
  type: 'object',
  required: ['type', 'timestamp', 'data', 'previous'],
  properties: {
    type: { type: 'string', enum: [type] },
    timestamp: { type: 'string', format: 'date-time' },
    data: schemas().of(EVENT_DATA[lineOf(type).object]),
    previous: {
      ...schemas().of(someOf(EVENT_DATA[lineOf(type).object])),
      description: 'The previous values of the changed fields of `data`.',
    },
  },
});

/** The part `webhooks` of the OpenAPI document: what is sent to endpoints. */
export const eventWebhooks = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `event.${type}`,
          summary: lineOf(type).summary,
          description: lineOf(type).summary,
          tags: ['events'],
          security: [],
          requestBody: {
            content: { 'application/json': { schema: schemaOf(type), example: exampleOf(type) } },
          },
          responses: { 204: { description: 'Delivered. Any 2xx status within 10 seconds counts.' } },
        },
      },
    ]),
  );
