import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { eventRoutes } from './routes.js';
import { EventsService } from './service.js';

export { eventWebhooks } from './openapi.js';

export const events = defineModule({
  name: 'events',
  Service: EventsService,
  routes: [...eventRoutes],
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
});
