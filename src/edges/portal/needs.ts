import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../../books/balances/service.js';
import type { RollupsService } from '../../books/rollups/service.js';
import type { VisitsService } from '../../books/visits/service.js';
import type { ReferralsService } from '../../books/referrals/service.js';
import type { PayoutsService } from '../../books/payouts/service.js';
import type { FraudService } from '../../sales/fraud/service.js';
import type { TrackingService } from '../../sales/tracking/service.js';
import type { ConversionsService } from '../../sales/conversions/service.js';
import type { RewardsService } from '../../sales/rewards/service.js';
import type { CreativesService } from '../../sales/creatives/service.js';
import type { IntegrationsService } from '../integrations/service.js';
import type { SitesService } from '../connected-sites/service.js';
import type { PayersService } from '../payers/service.js';
import type { EmailsService } from '../emails/service.js';
import type { RegistrationService } from '../registration/service.js';

/** The platform, and the modules this one calls. */
export interface Needs extends Platform {
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
  readonly integrations: IntegrationsService;
  readonly sites: SitesService;
  readonly payers: PayersService;
  readonly emails: EmailsService;
  readonly registration: RegistrationService;
}
