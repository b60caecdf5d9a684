import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { configOption } from './config.js';
import { presentDelivery, presentOutcome } from './presenter.js';
import {
  askBody,
  configResponse,
  configBody,
  deliveriesResponse,
  deliveriesQuery,
  integrationQuery,
  integrationsResponse,
  optionsResponse,
  optionsQuery,
  outcomeResponse,
  statusResponse,
  statusBody,
} from './schemas.js';
import { messageResponse } from '../../api-schemas.js';
import type { IntegrationsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly integrations: IntegrationsService;
}
const defineRoute = routesFor<RouteDeps>('integrations');

const ids = (value: unknown): string[] =>
  ([] as unknown[])
    .concat(value ?? [])
    .filter((id) => (typeof id === 'string' && id !== '') || typeof id === 'number')
    .map(String);

export const integrationRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'integrations.list',
    method: 'get',
    paths: ['/settings/integrations'],
    access: policies.settings,
    summary: 'List commerce integrations',
    response: integrationsResponse,
    handler: async ({ app }) => ({ integrations: await app.integrations.settings.list() }),
  }),
  defineRoute({
    id: 'integrations.config',
    method: 'get',
    paths: ['/settings/integration/config'],
    access: policies.settings,
    summary: 'Get the settings of an integration',
    settings: ({ query }) => [configOption((query as { integration: string }).integration)],
    query: integrationQuery,
    response: configResponse,
    handler: async ({ app, query }) => app.integrations.settings.get(query.integration),
  }),
  defineRoute({
    id: 'integrations.save_config',
    method: 'post',
    paths: ['/settings/integration/config'],
    access: policies.settings,
    summary: 'Save the settings of an integration',
    settings: ({ body }) => [configOption((body as { integration: string }).integration)],
    body: configBody,
    formParts: ({ integration }, app) => app.integrations.settings.formParts(integration),
    response: messageResponse,
    handler: async ({ app, body }) => ({
      message: await app.integrations.settings.save(body.integration, body.config),
    }),
  }),
  defineRoute({
    id: 'integrations.update_status',
    method: 'post',
    paths: ['/settings/integration/update-status'],
    access: policies.settings,
    summary: 'Switch an integration on or off',
    settings: ({ body }) => [configOption((body as { integration: string }).integration)],
    body: statusBody,
    response: statusResponse,
    handler: async ({ app, body }) =>
      app.integrations.settings.updateStatus(body.integration, body.is_enabled),
  }),
  defineRoute({
    id: 'integrations.product_options',
    method: 'get',
    paths: ['/settings/integration/product_cat_options'],
    access: policies.settings,
    summary: 'List products or categories to choose from',
    query: optionsQuery,
    response: optionsResponse,
    handler: async ({ app, query }) => ({
      options: await app.integrations.settings.options(query.integration, {
        kind: query.object_type ?? 'product',
        search: query.search ?? '',
        includeIds: ids(query.include_ids),
      }),
    }),
  }),
  defineRoute({
    id: 'integrations.deliveries',
    method: 'get',
    paths: ['/settings/integration/deliveries'],
    access: policies.settings,
    summary: 'List deliveries of shops with their outcome, newest first; kept for 30 days',
    query: deliveriesQuery,
    response: deliveriesResponse,
    handler: async ({ app, query, request }) => {
      const page = await app.integrations.arrivals(query);
      return { deliveries: pageEnvelope(request.url, { ...page, rows: page.rows.map(presentDelivery) }) };
    },
  }),
  defineRoute({
    id: 'integrations.replay',
    method: 'post',
    paths: ['/settings/integration/deliveries/:id/replay'],
    access: policies.settings,
    summary: 'Process a failed delivery again',
    params: idParams,
    response: outcomeResponse,
    handler: async ({ app, params }) => ({
      outcome: presentOutcome(await app.integrations.replay(params.id)),
    }),
  }),
  defineRoute({
    id: 'integrations.ask',
    method: 'post',
    paths: ['/settings/integration/ask'],
    access: policies.settings,
    summary: 'Fetch one order from a shop and book it',
    body: askBody,
    response: outcomeResponse,
    handler: async ({ app, body }) => ({
      outcome: presentOutcome(
        await app.integrations.reconcile(body.integration, { account: body.account ?? '', id: body.order }),
      ),
    }),
  }),
];
