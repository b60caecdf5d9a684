export { payoutRoutes } from './routes.js';
export { affiliateTransactionRow, payoutRecord } from './schemas.js';
export { PayoutsService } from './service.js';
export type * from './types.js';
