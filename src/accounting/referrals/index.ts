import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { referralRoutes } from './routes.js';
import { ReferralsService } from './service.js';
import { referralsOfAffiliateRoutes } from './of-affiliate-routes.js';

export type * from './types.js';

export const referrals = defineModule({
  name: 'referrals',
  Service: ReferralsService,
  routes: [...referralsOfAffiliateRoutes, ...referralRoutes],
  jobs: [{ name: 'report-stale-referrals', everyMs: DAY, run: (service) => service.reportStale() }],
});
