export { referralRoutes } from './routes.js';
export { ReferralsService } from './service.js';
export type * from './types.js';
