import { DAY, HOUR } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { conversionRoutes } from './routes.js';
import { couponRoutes } from './coupon-routes.js';
import { leadRoutes } from './lead-routes.js';
import { skippedRoutes } from './skipped-routes.js';
import { ConversionsService } from './service.js';
import { tryRoutes } from './reward-routes.js';

export { SKIP_REASONS } from './types.js';
export type * from './types.js';

export const conversions = defineModule({
  name: 'conversions',
  Service: ConversionsService,
  routes: [...conversionRoutes, ...couponRoutes, ...leadRoutes, ...tryRoutes, ...skippedRoutes],
  jobs: [
    { name: 'purge-skipped', everyMs: DAY, run: (service) => service.purge() },
    { name: 'qualify-leads', everyMs: HOUR, run: (service) => service.qualifyPaidLeads() },
  ],
});
