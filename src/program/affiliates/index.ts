import { defineModule } from '../../platform/module.js';
import { affiliateRoutes } from './routes.js';
import { AffiliatesService } from './service.js';
import { affiliatesOfGroupRoutes } from './of-group-routes.js';
import { affiliateOptionRoutes } from './option-routes.js';

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

export const affiliates = defineModule({
  name: 'affiliates',
  Service: AffiliatesService,
  routes: [...affiliateRoutes, ...affiliatesOfGroupRoutes, ...affiliateOptionRoutes],
});
