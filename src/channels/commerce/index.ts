import { DAY, MINUTE } from '../../core/duration.js';
import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { commerceHooks } from './hooks.js';
import { commerceRoutes } from './routes.js';
import { CommerceService } from './service.js';

export const commerce = defineModule({
  name: 'commerce',
  Service: CommerceService,
  hooks: commerceHooks,
  routes: commerceRoutes,
  jobs: [
    { name: 'shop-events', everyMs: 0, run: (service) => service.inbox.workDue() },
    {
      name: 'shop-sweep',
      everyMs: MINUTE,
      isDue: (service) => service.sweeping.isDue(),
      run: (service) => service.sweeping.run(),
    },
    { name: 'purge-shop-events', everyMs: DAY, run: (service) => service.inbox.purge() },
  ],
  api: (service) => ({
    ...only(service, [
      'bindCoupon',
      'deliveries',
      'get',
      'intake',
      'keys',
      'list',
      'reconcile',
      'register',
      'settings',
    ]),
    sweep: () => service.sweeping.run(),
  }),
  immediate: ['get', 'intake', 'keys', 'list', 'register', 'settings.formParts'],
});
