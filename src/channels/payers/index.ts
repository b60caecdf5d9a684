import { DAY, HOUR } from '../../core/duration.js';
import { byId, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { payerRoutes } from './routes.js';
import { ownPayerRoutes } from './own-routes.js';
import { PayersService } from './service.js';

export const payers = defineModule({
  name: 'payers',
  Service: PayersService,
  routes: [...payerRoutes, ...ownPayerRoutes],
  jobs: [
    {
      name: 'send-payments',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.calls.isDue(),
      run: (service) => service.calls.run(),
    },
    {
      name: 'follow-payments',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.following.isDue(),
      run: (service) => service.following.run(),
    },
    { name: 'reconcile-payments', everyMs: DAY, aside: true, run: (service) => service.reconciling.all() },
    { name: 'payout-schedule', everyMs: HOUR, run: (service) => service.scheduling.run() },
  ],
  api: (service) => ({
    ...byId(service, ['batches', 'methodsOf', 'payments', 'plan', 'reconcile', 'send', 'statesOf']),
    ...byId(service, ['cancel', 'retry', 'settle', 'settleBatch'], 2),
    ...only(service, ['list', 'saveSettings', 'settings', 'toDo']),
    callDue: () => service.calls.run(),
    followDue: () => service.following.run(),
  }),
});
