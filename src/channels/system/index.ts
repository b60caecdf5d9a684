export { systemRoutes } from './routes.js';
export { SystemService } from './service.js';
