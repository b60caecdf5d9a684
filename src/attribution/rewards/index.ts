import { byId, idOf, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { RewardsService } from './service.js';
import { rewardRoutes } from './routes.js';

export const rewards = defineModule({
  name: 'rewards',
  Service: RewardsService,
  routes: [...rewardRoutes],
  api: (service) => ({
    ...byId(service, ['activate', 'get', 'remove', 'retire', 'simulate', 'simulation', 'update']),
    ...only(service, ['at', 'create']),
    terms: (affiliateId?: number) => service.terms(affiliateId === undefined ? undefined : idOf(affiliateId)),
    ...lists(service, ['list']),
  }),
});
