import { DAY } from '../../core/duration.js';
import { byId, byMany, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { referralHooks } from './hooks.js';
import { referralRoutes } from './routes.js';
import { ReferralsService } from './service.js';
import { referralsOfAffiliateRoutes } from './of-affiliate-routes.js';

export const referrals = defineModule({
  name: 'referrals',
  Service: ReferralsService,
  hooks: referralHooks,
  routes: [...referralsOfAffiliateRoutes, ...referralRoutes],
  jobs: [{ name: 'report-stale-referrals', everyMs: DAY, run: (service) => service.reportStale() }],
  api: (service) => ({
    ...byId(service, ['delete', 'find', 'get', 'update', 'view']),
    ...byMany(service, ['findMany']),
    ...only(service, ['create', 'findByKey', 'staleSummary']),
    ...lists(service.lists, ['list', 'stale']),
  }),
});
