import { DAY } from '../../core/duration.js';
import { byId, listsOf, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { webhookRoutes } from './routes.js';
import { WebhooksService } from './service.js';

export { eventWebhooks } from './openapi.js';

export const webhooks = defineModule({
  name: 'webhooks',
  Service: WebhooksService,
  routes: [...webhookRoutes],
  jobs: [
    {
      name: 'line-up-events',
      everyMs: 0,
      isDue: (service) => service.isWaiting(),
      run: (service) => service.lineUp(),
    },
    {
      name: 'deliver-events',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.isDue(),
      run: (service) => service.deliverDue(),
    },
    { name: 'purge-events', everyMs: DAY, run: (service) => service.purge() },
  ],
  api: (service) => ({
    ...byId(service, [
      'endpoint',
      'ping',
      'removeEndpoint',
      'replay',
      'rotateSecret',
      'secret',
      'updateEndpoint',
    ]),
    ...byId(service, ['resend'], 2),
    ...listsOf(service, ['deliveries']),
    ...only(service, ['createEndpoint', 'deliverDue', 'endpoints', 'lineUp', 'list']),
  }),
});
