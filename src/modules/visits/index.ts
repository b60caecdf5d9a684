export { visitRoutes } from './routes.js';
export { affiliateVisitRow, visitRow } from './schemas.js';
export { VisitsService } from './service.js';
export type { AffiliateVisitQuery, NewVisit, Visit, VisitListQuery } from './types.js';
