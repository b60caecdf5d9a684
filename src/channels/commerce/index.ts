import { DAY, MINUTE } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { integrationRoutes } from './routes.js';
import { IntegrationsService } from './service.js';
import { webhookRoutes } from './webhook-routes.js';

export const integrations = defineModule({
  name: 'integrations',
  Service: IntegrationsService,
  routes: [...integrationRoutes, ...webhookRoutes],
  jobs: [
    { name: 'shop-events', everyMs: 0, run: (service) => service.workDue() },
    {
      name: 'shop-sweep',
      everyMs: MINUTE,
      isDue: (service) => service.isSweepDue(),
      run: (service) => service.sweep(),
    },
    { name: 'purge-shop-events', everyMs: DAY, run: (service) => service.purge() },
  ],
});
