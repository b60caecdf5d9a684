import { DAY } from '../../core/duration.js';
import { byId, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { customerHooks } from './hooks.js';
import { customerRoutes } from './routes.js';
import { CustomersService } from './service.js';
import { customersOfAffiliateRoutes } from './of-affiliate-routes.js';

export const customers = defineModule({
  name: 'customers',
  Service: CustomersService,
  hooks: customerHooks,
  routes: [...customersOfAffiliateRoutes, ...customerRoutes],
  jobs: [{ name: 'purge-addresses', everyMs: DAY, run: (service) => service.purge() }],
  api: (service) => ({
    ...byId(service, ['find', 'update', 'view']),
    ...byId(service, ['keepApart', 'link', 'merge', 'unlink'], 2),
    ...only(service, ['export', 'forget', 'match', 'search']),
    ...lists(service, ['list']),
  }),
});
