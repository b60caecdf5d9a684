export { creativeRoutes } from './routes.js';
export { CreativesService } from './service.js';
export type { Creative, CreativeForm } from './types.js';
