import { defineModule } from '../../platform/module.js';
import { connectedSiteRoutes } from './routes.js';
import { SitesService } from './service.js';

export type { ConnectedSite, IssuedSite, IssueInput, ShareEntry, SitesConfig } from './types.js';

export const sites = defineModule({
  name: 'sites',
  Service: SitesService,
  routes: [...connectedSiteRoutes],
});
