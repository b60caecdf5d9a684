export { visitRoutes } from './routes.js';
export { VisitsService } from './service.js';
export type { AffiliateVisitQuery, NewVisit, Visit, VisitListQuery } from './types.js';
export { visitsOfAffiliateRoutes } from './of-affiliate-routes.js';
