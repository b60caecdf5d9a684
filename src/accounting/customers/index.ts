export { customerRoutes } from './routes.js';
export { CustomersService } from './service.js';
export type * from './types.js';
export { customersOfAffiliateRoutes } from './of-affiliate-routes.js';
