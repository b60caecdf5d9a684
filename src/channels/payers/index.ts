export { payerRoutes } from './routes.js';
export { ownPayerRoutes } from './own-routes.js';
export { PayersService } from './service.js';
export type * from './types.js';
