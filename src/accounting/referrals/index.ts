export { referralRoutes } from './routes.js';
export { ReferralsService } from './service.js';
export type * from './types.js';
export { referralsOfAffiliateRoutes } from './of-affiliate-routes.js';
