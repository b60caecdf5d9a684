export { integrationRoutes } from './routes.js';
export { IntegrationsService } from './service.js';
