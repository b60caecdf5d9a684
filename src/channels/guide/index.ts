export { guideRoutes } from './routes.js';
export { GuideService } from './service.js';
