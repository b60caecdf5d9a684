export { reportRoutes } from './routes.js';
export { ReportsService } from './service.js';
