import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { boolean, idParams, object } from '../../platform/http/schema.js';
import { configOption } from './config.js';
import { presentDelivery, presentOutcome } from './presenter.js';
import * as schemas from './schemas.js';
import { messageResponse } from '../../platform/http/responses.js';
import type { CommerceService } from './service.js';

export interface RouteDeps {
  readonly commerce: CommerceService;
}
const defineRoute = routesFor<RouteDeps>('integrations');

const defineCouponRoute = routesFor<RouteDeps>('coupons');

const ids = (value: unknown): string[] =>
  ([] as unknown[])
    .concat(value ?? [])
    .filter((id) => (typeof id === 'string' && id !== '') || typeof id === 'number')
    .map(String);

const LARGEST_WEBHOOK = 8 * 1024 * 1024;

export const commerceRoutes: readonly Route<RouteDeps>[] = [
  defineCouponRoute({
    id: 'coupons.shops',
    method: 'get',
    paths: ['/coupons/shops'],
    access: policies.section('affiliates'),
    summary: 'List the shops that a coupon can be assigned in: integrations, and shops of earlier orders',
    response: schemas.couponShopsResponse,
    handler: async ({ app }) => ({ shops: await app.commerce.couponShops() }),
  }),
  defineRoute({
    id: 'integrations.list',
    method: 'get',
    paths: ['/settings/integrations'],
    access: policies.settings,
    summary: 'List commerce integrations',
    response: schemas.integrationsResponse,
    handler: async ({ app }) => ({ integrations: await app.commerce.settings.list() }),
  }),
  defineRoute({
    id: 'integrations.config',
    method: 'get',
    paths: ['/settings/integration/config'],
    access: policies.settings,
    summary: 'Get the settings of an integration',
    settings: ({ query }) => [configOption((query as { integration: string }).integration)],
    query: schemas.integrationQuery,
    response: schemas.configResponse,
    handler: async ({ app, query }) => app.commerce.settings.get(query.integration),
  }),
  defineRoute({
    id: 'integrations.save_config',
    method: 'post',
    paths: ['/settings/integration/config'],
    access: policies.settings,
    summary: 'Save the settings of an integration',
    settings: ({ body }) => [configOption((body as { integration: string }).integration)],
    body: schemas.configBody,
    formParts: ({ integration }, app) => app.commerce.settings.formParts(integration),
    response: messageResponse,
    handler: async ({ app, body }) => ({
      message: await app.commerce.settings.save(body.integration, body.config),
    }),
  }),
  defineRoute({
    id: 'integrations.update_status',
    method: 'post',
    paths: ['/settings/integration/update-status'],
    access: policies.settings,
    summary: 'Turn an integration on or off',
    settings: ({ body }) => [configOption((body as { integration: string }).integration)],
    body: schemas.statusBody,
    response: schemas.statusResponse,
    handler: async ({ app, body }) => app.commerce.settings.updateStatus(body.integration, body.is_enabled),
  }),
  defineRoute({
    id: 'integrations.product_options',
    method: 'get',
    paths: ['/settings/integration/product_cat_options'],
    access: policies.settings,
    summary: 'List the products or categories to choose from',
    query: schemas.optionsQuery,
    response: schemas.optionsResponse,
    handler: async ({ app, query }) => ({
      options: await app.commerce.settings.options(query.integration, {
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
    summary: 'List webhook deliveries from shops with their results, newest first. They are kept for 30 days',
    query: schemas.deliveriesQuery,
    response: schemas.deliveriesResponse,
    handler: async ({ app, query, request }) => {
      const page = await app.commerce.listDeliveries(query);
      return { deliveries: pageEnvelope(request.url, { ...page, rows: page.rows.map(presentDelivery) }) };
    },
  }),
  defineRoute({
    id: 'integrations.replay',
    method: 'post',
    paths: ['/settings/integration/deliveries/:id/replay'],
    access: policies.settings,
    summary: 'Retry a failed delivery from a shop',
    params: idParams,
    response: schemas.outcomeResponse,
    handler: async ({ app, params }) => ({
      outcome: presentOutcome(await app.commerce.inbox.replay(params.id)),
    }),
  }),
  defineRoute({
    id: 'integrations.ask',
    method: 'post',
    paths: ['/settings/integration/ask'],
    access: policies.settings,
    summary: 'Fetch an order from a shop and record it',
    body: schemas.askBody,
    response: schemas.outcomeResponse,
    handler: async ({ app, body }) => ({
      outcome: presentOutcome(
        await app.commerce.reconcile(body.integration, { account: body.account ?? '', id: body.order }),
      ),
    }),
  }),
  defineRoute({
    id: 'integrations.webhook',
    method: 'post',
    paths: ['/webhooks/:provider'],
    access: policies.public,
    summary: 'Receive a signed webhook from a shop or payment system',
    accepts: { raw: true, bytes: LARGEST_WEBHOOK },
    response: object({ received: boolean }),
    handler: async ({ app, params, request }) =>
      app.commerce.receiver.receive((params as { provider: string }).provider, request),
  }),
];
