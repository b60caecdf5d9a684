import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { boolean, object } from '../../platform/http/schema.js';
import type { IntegrationsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly integrations: IntegrationsService;
}
const defineRoute = routesFor<RouteDeps>('integrations');

const LARGEST = 8 * 1024 * 1024;

export const webhookRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'integrations.webhook',
    method: 'post',
    paths: ['/webhooks/:provider'],
    access: policies.public,
    summary: 'Receive a signed webhook of a shop or payment system',
    accepts: { raw: true, bytes: LARGEST },
    response: object({ received: boolean }),
    handler: async ({ app, params, request }) =>
      app.integrations.receive((params as { provider: string }).provider, request),
  }),
];
