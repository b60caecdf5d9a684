import {
  affiliateOptionRoutes,
  affiliateRoutes,
  affiliatesOfGroupRoutes,
} from '../modules/affiliates/index.js';
import { apiKeyRoutes } from '../modules/api-keys/index.js';
import { auditRoutes } from '../modules/audit/index.js';
import { captchaRoutes } from '../modules/captcha/index.js';
import { conversionRoutes, skippedRoutes } from '../modules/conversions/index.js';
import { creativeRoutes } from '../modules/creatives/index.js';
import { customerRoutes, customersOfAffiliateRoutes } from '../modules/customers/index.js';
import { emailRoutes } from '../modules/emails/index.js';
import { connectedSiteRoutes } from '../modules/connected-sites/index.js';
import { eventRoutes } from '../modules/events/index.js';
import { fraudRoutes } from '../modules/fraud/index.js';
import { groupRoutes } from '../modules/groups/index.js';
import { integrationRoutes } from '../modules/integrations/index.js';
import { licenseRoutes } from '../modules/license/index.js';
import { linkRoutes } from '../modules/links/index.js';
import { managerRoutes } from '../modules/managers/index.js';
import { migrationRoutes } from '../modules/migrations/index.js';
import { payoutRoutes, payoutsOfAffiliateRoutes } from '../modules/payouts/index.js';
import { portalRoutes } from '../modules/portal/index.js';
import { referralRoutes, referralsOfAffiliateRoutes } from '../modules/referrals/index.js';
import { registrationRoutes } from '../modules/registration/index.js';
import { reportRoutes } from '../modules/reports/index.js';
import { rollupRoutes } from '../modules/rollups/index.js';
import { hostRoutes, settingsRoutes } from '../modules/settings/index.js';
import { systemRoutes } from '../modules/system/index.js';
import { userRoutes } from '../modules/users/index.js';
import { visitRoutes, visitsOfAffiliateRoutes } from '../modules/visits/index.js';
import type { Route } from './define-route.js';

/** Every endpoint of the service, module by module; nothing else is mounted. */
export const allRoutes = (): readonly Route[] => [
  ...affiliateRoutes,
  ...referralsOfAffiliateRoutes,
  ...visitsOfAffiliateRoutes,
  ...payoutsOfAffiliateRoutes,
  ...customersOfAffiliateRoutes,
  ...customerRoutes,
  ...referralRoutes,
  ...conversionRoutes,
  ...visitRoutes,
  ...payoutRoutes,
  ...auditRoutes,
  ...groupRoutes,
  ...affiliatesOfGroupRoutes,
  ...rollupRoutes,
  ...creativeRoutes,
  ...portalRoutes,
  ...reportRoutes,
  ...managerRoutes,
  ...apiKeyRoutes,
  ...migrationRoutes,
  ...settingsRoutes,
  ...skippedRoutes,
  ...fraudRoutes,
  ...linkRoutes,
  ...hostRoutes,
  ...affiliateOptionRoutes,
  ...registrationRoutes,
  ...captchaRoutes,
  ...emailRoutes,
  ...eventRoutes,
  ...connectedSiteRoutes,
  ...integrationRoutes,
  ...licenseRoutes,
  ...systemRoutes,
  ...userRoutes,
];
