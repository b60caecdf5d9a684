export { portalRoutes } from './routes.js';
export { PortalService } from './service.js';
