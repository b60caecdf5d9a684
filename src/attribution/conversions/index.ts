export { conversionRoutes } from './routes.js';
export { couponRoutes } from './coupon-routes.js';
export { leadRoutes } from './lead-routes.js';
export { skippedRoutes } from './skipped-routes.js';
export { ConversionsService } from './service.js';
export { SKIP_REASONS } from './types.js';
export type * from './types.js';
export { tryRoutes } from './reward-routes.js';
