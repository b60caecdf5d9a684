import { defineModule } from '../../platform/module.js';
import { portalOwnRoutes } from './own-routes.js';
import { portalRoutes } from './routes.js';
import { PortalService } from './service.js';

export const portal = defineModule({
  name: 'portal',
  Service: PortalService,
  routes: [...portalRoutes, ...portalOwnRoutes],
});
