export { GoalsService } from './service.js';
export { goalRoutes } from './routes.js';
