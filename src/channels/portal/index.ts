import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { portalHooks } from './hooks.js';
import { portalOwnRoutes } from './own-routes.js';
import { portalRoutes } from './routes.js';
import { PortalService } from './service.js';

export const portal = defineModule({
  name: 'portal',
  Service: PortalService,
  hooks: portalHooks,
  routes: [...portalRoutes, ...portalOwnRoutes],
  api: (service) => only(service, ['terms']),
});
