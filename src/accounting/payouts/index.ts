import { HOUR } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { payoutRoutes } from './routes.js';
import { PayoutsService } from './service.js';
import { payoutsOfAffiliateRoutes } from './of-affiliate-routes.js';

export type * from './types.js';

export const payouts = defineModule({
  name: 'payouts',
  Service: PayoutsService,
  routes: [...payoutsOfAffiliateRoutes, ...payoutRoutes],
  jobs: [{ name: 'release-stranded-referrals', everyMs: HOUR, run: (service) => service.releaseStranded() }],
});
