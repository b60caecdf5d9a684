import { DAY, HOUR } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { payerRoutes } from './routes.js';
import { ownPayerRoutes } from './own-routes.js';
import { PayersService } from './service.js';

export type * from './types.js';

export const payers = defineModule({
  name: 'payers',
  Service: PayersService,
  routes: [...payerRoutes, ...ownPayerRoutes],
  jobs: [
    {
      name: 'send-payments',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.isCallDue(),
      run: (service) => service.callDue(),
    },
    {
      name: 'follow-payments',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.isFollowDue(),
      run: (service) => service.followDue(),
    },
    { name: 'reconcile-payments', everyMs: DAY, aside: true, run: (service) => service.reconcileAll() },
    { name: 'payout-schedule', everyMs: HOUR, run: (service) => service.runSchedule() },
  ],
});
