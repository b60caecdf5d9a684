import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { failFields } from '../../errors.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { lineOf } from './catalog.js';
import { exampleOf } from './examples.js';
import { withoutPersons } from './event-body.js';
import { presentDelivery, presentEndpoint } from './presenter.js';
import * as schemas from './schemas.js';
import { EVENT_TYPES } from '../../program/event-log/types.js';
import type { WebhooksService } from './service.js';

export interface RouteDeps {
  readonly webhooks: WebhooksService;
}
const defineRoute = routesFor<RouteDeps>('webhooks');
const defineEventRoute = routesFor<RouteDeps>('events');

const access = policies.settings;

const endpointRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'webhooks.list',
    method: 'get',
    paths: ['/settings/webhooks'],
    access,
    summary: 'List webhook endpoints',
    response: schemas.endpointList,
    handler: async ({ app }) => ({ webhooks: (await app.webhooks.endpoints()).map(presentEndpoint) }),
  }),
  defineRoute({
    id: 'webhooks.create',
    method: 'post',
    paths: ['/settings/webhooks'],
    access: policies.settingsOfPeople,
    summary: 'Create a webhook endpoint. The response contains its secret',
    body: schemas.newEndpoint,
    response: schemas.endpointIssued,
    secret: true,
    handler: async ({ app, body }) => {
      const { endpoint, secret } = await app.webhooks.createEndpoint(body);
      return { message: 'Webhook created.', webhook: presentEndpoint(endpoint), secret };
    },
  }),
  defineRoute({
    id: 'webhooks.catalogue',
    method: 'get',
    paths: ['/settings/webhooks/catalogue'],
    access,
    summary: 'List the event types, each with an example',
    response: schemas.catalogResponse,
    handler: async () => ({
      events: EVENT_TYPES.map((type) => ({
        type,
        object: lineOf(type).object,
        description: lineOf(type).summary,
        on_request: lineOf(type).onRequest === true,
        example: exampleOf(type),
      })),
    }),
  }),
  defineRoute({
    id: 'webhooks.get',
    method: 'get',
    paths: ['/settings/webhooks/:id'],
    access,
    summary: 'Get a webhook endpoint',
    params: idParams,
    response: schemas.endpointResponse,
    handler: async ({ app, params }) => ({
      webhook: presentEndpoint(await app.webhooks.endpoint(params.id)),
    }),
  }),
  defineRoute({
    id: 'webhooks.update',
    method: 'patch',
    paths: ['/settings/webhooks/:id'],
    access: policies.settingsOfPeople,
    summary: 'Update a webhook endpoint, or turn it on or off',
    params: idParams,
    body: schemas.endpointPatch,
    response: schemas.endpointSaved,
    handler: async ({ app, params, body }) => ({
      message: 'Webhook saved.',
      webhook: presentEndpoint(await app.webhooks.updateEndpoint(params.id, body)),
    }),
  }),
  defineRoute({
    id: 'webhooks.delete',
    method: 'delete',
    paths: ['/settings/webhooks/:id'],
    access,
    summary: 'Delete a webhook endpoint and its deliveries',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.webhooks.removeEndpoint(params.id);
      return { message: 'Webhook deleted.' };
    },
  }),
];

const secretRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'webhooks.secret',
    method: 'get',
    paths: ['/settings/webhooks/:id/secret'],
    access: policies.settingsOfPeople,
    summary: 'Get the signing secret of an endpoint',
    params: idParams,
    response: schemas.secretResponse,
    secret: true,
    handler: async ({ app, params }) => ({ secret: await app.webhooks.secret(params.id) }),
  }),
  defineRoute({
    id: 'webhooks.rotate',
    method: 'post',
    paths: ['/settings/webhooks/:id/rotate'],
    access: policies.settingsOfPeople,
    summary: "Rotate an endpoint's signing secret. For 24 hours, requests are signed with both secrets",
    params: idParams,
    response: schemas.secretResponse,
    secret: true,
    handler: async ({ app, params }) => ({ secret: await app.webhooks.rotateSecret(params.id) }),
  }),
];

const deliveryRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'webhooks.test',
    method: 'post',
    paths: ['/settings/webhooks/:id/test'],
    access,
    summary: "Send a test.ping event and return the endpoint's response",
    params: idParams,
    response: schemas.pingResponse,
    handler: async ({ app, params }) => {
      const { delivered, answer, error } = await app.webhooks.ping(params.id);
      return {
        message: delivered ? 'The endpoint accepted the event.' : 'The endpoint did not accept the event.',
        delivered,
        status: answer?.status ?? null,
        answer: answer?.text ?? '',
        error,
      };
    },
  }),
  defineRoute({
    id: 'webhooks.deliveries',
    method: 'get',
    paths: ['/settings/webhooks/:id/deliveries'],
    access,
    summary:
      "List an endpoint's deliveries with their last response, newest first. They are kept for 30 days",
    params: idParams,
    query: schemas.deliveryList,
    response: schemas.deliveryPage,
    handler: async ({ app, params, query, request }) => {
      const page = await app.webhooks.deliveries(params.id, { ...query, status: query.status ?? null });
      return { deliveries: pageEnvelope(request.url, { ...page, rows: page.rows.map(presentDelivery) }) };
    },
  }),
  defineRoute({
    id: 'webhooks.resend',
    method: 'post',
    paths: ['/settings/webhooks/:id/deliveries/:delivery_id/resend'],
    access,
    summary: 'Resend a delivery',
    params: schemas.deliveryParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.webhooks.resend(params.id, params.delivery_id);
      return { message: 'The event will be sent again.' };
    },
  }),
  defineRoute({
    id: 'webhooks.replay',
    method: 'post',
    paths: ['/settings/webhooks/:id/replay'],
    access,
    summary: 'Resend all events since a time, up to 30 days back',
    params: idParams,
    body: schemas.replayForm,
    response: schemas.replayResponse,
    handler: async ({ app, params, body }) => {
      await app.webhooks.endpoint(params.id);
      const given = body.from ?? '';
      const from = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) : NaN;
      if (Number.isNaN(from))
        failFields({ from: { date: 'The time must have the form 2026-01-15T15:00:00Z.' } });
      return {
        message: 'The events will be sent again.',
        events: await app.webhooks.replay(params.id, from),
      };
    },
  }),
  defineEventRoute({
    id: 'events.list',
    method: 'get',
    paths: ['/events'],
    access,
    summary: 'List the events after an ID, oldest first. Events are kept for 30 days',
    query: schemas.eventQuery,
    response: schemas.eventList,
    handler: async ({ app, query, allows }) => {
      const persons = await allows('affiliates');
      const listed = await app.webhooks.list(query.after ?? 0, query.type ?? null, query.limit, { persons });
      const events = persons ? listed : listed.map(withoutPersons);
      return { events, last_id: events.at(-1)?.id ?? query.after ?? 0 };
    },
  }),
];

export const webhookRoutes: readonly Route<RouteDeps>[] = [
  ...endpointRoutes,
  ...secretRoutes,
  ...deliveryRoutes,
];
