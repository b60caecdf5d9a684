export { connectedSiteRoutes } from './routes.js';
export { SitesService } from './service.js';
export type { ConnectedSite, IssuedSite, IssueInput, ShareEntry, SitesConfig } from './types.js';
