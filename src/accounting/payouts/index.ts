export { payoutRoutes } from './routes.js';
export { PayoutsService } from './service.js';
export type * from './types.js';
export { payoutsOfAffiliateRoutes } from './of-affiliate-routes.js';
