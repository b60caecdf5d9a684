import {
  affiliateOptionRoutes,
  affiliateRoutes,
  affiliatesOfGroupRoutes,
} from './program/affiliates/index.js';
import { apiKeyRoutes } from './program/api-keys/index.js';
import { auditRoutes } from './program/audit/index.js';
import { captchaRoutes } from './edges/captcha/index.js';
import {
  conversionRoutes,
  couponRoutes,
  leadRoutes,
  skippedRoutes,
  tryRoutes,
} from './sales/conversions/index.js';
import { creativeRoutes } from './sales/creatives/index.js';
import { customerRoutes, customersOfAffiliateRoutes } from './books/customers/index.js';
import { emailRoutes } from './edges/emails/index.js';
import { connectedSiteRoutes } from './edges/connected-sites/index.js';
import { eventRoutes } from './edges/events/index.js';
import { fraudRoutes } from './sales/fraud/index.js';
import { groupRoutes } from './program/groups/index.js';
import { guideRoutes } from './edges/guide/index.js';
import { integrationRoutes, webhookRoutes } from './edges/integrations/index.js';
import { invitationRoutes } from './edges/invitations/index.js';
import { licenseRoutes } from './program/license/index.js';
import { linkRoutes } from './sales/links/index.js';
import { managerRoutes } from './program/managers/index.js';
import { messageRoutes } from './edges/messages/index.js';
import { migrationRoutes } from './edges/migrations/index.js';
import { ownPayerRoutes, payerRoutes } from './edges/payers/index.js';
import { payoutRoutes, payoutsOfAffiliateRoutes } from './books/payouts/index.js';
import { portalOwnRoutes, portalRoutes } from './edges/portal/index.js';
import { referralRoutes, referralsOfAffiliateRoutes } from './books/referrals/index.js';
import { registrationRoutes } from './edges/registration/index.js';
import { reportRoutes } from './edges/reports/index.js';
import { rewardRoutes } from './sales/rewards/index.js';
import { goalRoutes } from './sales/goals/index.js';
import { rollupRoutes } from './books/rollups/index.js';
import { hostRoutes, settingsRoutes } from './program/settings/index.js';
import { systemRoutes } from './edges/system/index.js';
import { userRoutes } from './edges/users/index.js';
import { visitRoutes, visitsOfAffiliateRoutes } from './books/visits/index.js';
import type { App } from './app.js';
import type { Route } from './platform/http/define-route.js';

/** Every endpoint of the service, module by module; nothing else is mounted. */
export const allRoutes = (): readonly Route<App>[] => [
  ...affiliateRoutes,
  ...referralsOfAffiliateRoutes,
  ...visitsOfAffiliateRoutes,
  ...payoutsOfAffiliateRoutes,
  ...customersOfAffiliateRoutes,
  ...customerRoutes,
  ...referralRoutes,
  ...conversionRoutes,
  ...couponRoutes,
  ...leadRoutes,
  ...visitRoutes,
  ...payoutRoutes,
  ...payerRoutes,
  ...auditRoutes,
  ...groupRoutes,
  ...affiliatesOfGroupRoutes,
  ...rollupRoutes,
  ...rewardRoutes,
  ...tryRoutes,
  ...goalRoutes,
  ...creativeRoutes,
  ...portalRoutes,
  ...portalOwnRoutes,
  ...ownPayerRoutes,
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
  ...webhookRoutes,
  ...licenseRoutes,
  ...systemRoutes,
  ...guideRoutes,
  ...invitationRoutes,
  ...messageRoutes,
  ...userRoutes,
];
