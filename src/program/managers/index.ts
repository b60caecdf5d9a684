export { managerRoutes } from './routes.js';
export { ManagersService } from './service.js';
export type { Manager, ManagerInput } from './types.js';
