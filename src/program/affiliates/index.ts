import { byId, byMany, lists } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { affiliateHooks } from './hooks.js';
import { affiliateRoutes } from './routes.js';
import { AffiliatesService } from './service.js';
import { affiliatesOfGroupRoutes } from './of-group-routes.js';
import { affiliateOptionRoutes } from './option-routes.js';

export type { Affiliate, AffiliateInput, AffiliatePatch } from './types.js';

export const affiliates = defineModule({
  name: 'affiliates',
  Service: AffiliatesService,
  hooks: affiliateHooks,
  routes: [...affiliateRoutes, ...affiliatesOfGroupRoutes, ...affiliateOptionRoutes],
  api: (service) => ({
    ...byId(service, ['find', 'get', 'remove']),
    ...byId(service.changes, ['changeStatus', 'saveProfile', 'update']),
    ...byId(service, ['merge'], 2),
    ...byMany(service, ['findMany']),
    ...lists(service.listing, ['list']),
  }),
});
