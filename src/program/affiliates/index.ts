export { affiliateRoutes } from './routes.js';
export { AffiliatesService } from './service.js';
export type {
  Affiliate,
  AffiliateInput,
  AffiliateListQuery,
  AffiliatePatch,
  AffiliateStatus,
  ProfilePatch,
  RateType,
  ResolvedRate,
} from './types.js';
export { affiliatesOfGroupRoutes } from './of-group-routes.js';
export { affiliateOptionRoutes } from './option-routes.js';
