import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { portalHooks } from './hooks.js';
import type { affiliateHooks } from '../../program/affiliates/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../../accounting/balances/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';
import type { FraudService } from '../../attribution/fraud/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';
import type { RewardsService } from '../../attribution/rewards/service.js';
import type { CreativesService } from '../../attribution/creatives/service.js';
import type { CommerceService } from '../commerce/service.js';
import type { ConnectedSitesService } from '../connected-sites/service.js';
import type { PayersService } from '../payers/service.js';
import type { EmailsService } from '../emails/service.js';
import type { RegistrationService } from '../registration/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof portalHooks & typeof affiliateHooks>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly balances: BalancesService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
  readonly referrals: ReferralsService;
  readonly payouts: PayoutsService;
  readonly fraud: FraudService;
  readonly tracking: TrackingService;
  readonly conversions: ConversionsService;
  readonly rewards: RewardsService;
  readonly creatives: CreativesService;
  readonly commerce: CommerceService;
  readonly connectedSites: ConnectedSitesService;
  readonly payers: PayersService;
  readonly emails: EmailsService;
  readonly registration: RegistrationService;
}
