export { apiKeyRoutes } from './routes.js';
export { ApiKeysService } from './service.js';
