export { portalOwnRoutes } from './own-routes.js';
export { portalRoutes } from './routes.js';
export { PortalService } from './service.js';
