import { lineOf } from './catalogue.js';
import { exampleOf } from './examples.js';
import { EVENT_TYPES } from '../../program/event-log/types.js';

const SCHEMA = {
  type: 'object',
  required: ['type', 'timestamp', 'data', 'previous'],
  properties: {
    type: { type: 'string', enum: EVENT_TYPES },
    timestamp: { type: 'string', format: 'date-time' },
    data: { type: 'object', description: 'The record as the REST interface answers it, after the change.' },
    previous: { type: 'object', description: 'What was different before.' },
  },
};

/** The part `webhooks` of the OpenAPI document: what endpoints are sent. */
export const eventWebhooks = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `event.${type}`,
          summary: lineOf(type).tells,
          description: lineOf(type).tells,
          tags: ['events'],
          security: [],
          requestBody: { content: { 'application/json': { schema: SCHEMA, example: exampleOf(type) } } },
          responses: { 204: { description: 'Any 2xx within 10 seconds is a delivery.' } },
        },
      },
    ]),
  );
