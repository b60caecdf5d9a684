import { byId, byMany, lists } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { visitRoutes } from './routes.js';
import { VisitsService } from './service.js';
import { visitsOfAffiliateRoutes } from './of-affiliate-routes.js';

export type { Visit } from './types.js';

export const visits = defineModule({
  name: 'visits',
  Service: VisitsService,
  routes: [...visitsOfAffiliateRoutes, ...visitRoutes],
  api: (service) => ({
    ...byId(service, ['find']),
    ...byMany(service, ['findMany']),
    ...lists(service, ['list']),
  }),
});
