export { customerRoutes } from './routes.js';
export { CustomersService } from './service.js';
export type * from './types.js';
