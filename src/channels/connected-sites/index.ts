import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { connectedSiteHooks } from './hooks.js';
import { connectedSiteRoutes } from './routes.js';
import { ConnectedSitesService } from './service.js';

export const connectedSites = defineModule({
  name: 'connectedSites',
  Service: ConnectedSitesService,
  hooks: connectedSiteHooks,
  routes: [...connectedSiteRoutes],
  api: (service) =>
    only(service, [
      'active',
      'config',
      'connectConfig',
      'disconnect',
      'find',
      'getSite',
      'issue',
      'setStatus',
      'update',
    ]),
  immediate: ['connectConfig'],
});
