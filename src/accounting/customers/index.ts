import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { customerRoutes } from './routes.js';
import { CustomersService } from './service.js';
import { customersOfAffiliateRoutes } from './of-affiliate-routes.js';

export type * from './types.js';

export const customers = defineModule({
  name: 'customers',
  Service: CustomersService,
  routes: [...customersOfAffiliateRoutes, ...customerRoutes],
  jobs: [{ name: 'purge-addresses', everyMs: DAY, run: (service) => service.purge() }],
});
