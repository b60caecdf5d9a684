import {
  affiliateOptionRoutes,
  affiliateRoutes,
  affiliatesOfGroupRoutes,
} from './program/affiliates/index.js';
import { apiKeyRoutes } from './program/api-keys/index.js';
import { auditRoutes } from './program/audit/index.js';
import { captchaRoutes } from './channels/captcha/index.js';
import {
  conversionRoutes,
  couponRoutes,
  leadRoutes,
  skippedRoutes,
  tryRoutes,
} from './attribution/conversions/index.js';
import { creativeRoutes } from './attribution/creatives/index.js';
import { customerRoutes, customersOfAffiliateRoutes } from './accounting/customers/index.js';
import { emailRoutes } from './channels/emails/index.js';
import { connectedSiteRoutes } from './channels/connected-sites/index.js';
import { eventRoutes } from './channels/webhooks/index.js';
import { fraudRoutes } from './attribution/fraud/index.js';
import { groupRoutes } from './program/groups/index.js';
import { guideRoutes } from './channels/guide/index.js';
import { integrationRoutes, webhookRoutes } from './channels/commerce/index.js';
import { invitationRoutes } from './channels/invitations/index.js';
import { licenseRoutes } from './program/license/index.js';
import { linkRoutes } from './attribution/links/index.js';
import { managerRoutes } from './program/managers/index.js';
import { messageRoutes } from './channels/messages/index.js';
import { migrationRoutes } from './channels/imports/index.js';
import { ownPayerRoutes, payerRoutes } from './channels/payers/index.js';
import { payoutRoutes, payoutsOfAffiliateRoutes } from './accounting/payouts/index.js';
import { portalOwnRoutes, portalRoutes } from './channels/portal/index.js';
import { referralRoutes, referralsOfAffiliateRoutes } from './accounting/referrals/index.js';
import { registrationRoutes } from './channels/registration/index.js';
import { reportRoutes } from './channels/reports/index.js';
import { rewardRoutes } from './attribution/rewards/index.js';
import { goalRoutes } from './attribution/goals/index.js';
import { rollupRoutes } from './accounting/rollups/index.js';
import { hostRoutes, settingsRoutes } from './program/settings/index.js';
import { systemRoutes } from './channels/system/index.js';
import { userRoutes } from './channels/users/index.js';
import { visitRoutes, visitsOfAffiliateRoutes } from './accounting/visits/index.js';
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
