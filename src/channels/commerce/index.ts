export { integrationRoutes } from './routes.js';
export { IntegrationsService } from './service.js';
export { webhookRoutes } from './webhook-routes.js';
