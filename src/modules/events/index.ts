export { eventRoutes } from './routes.js';
export { EventsService } from './service.js';
