export { eventRoutes } from './routes.js';
export { EventsService } from './service.js';
export { eventWebhooks } from './openapi.js';
