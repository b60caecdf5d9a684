export { linkRoutes } from './routes.js';
export { LinksService } from './service.js';
export type { RedirectLink } from './types.js';
