import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../../books/balances/service.js';
import type { RollupsService } from '../../books/rollups/service.js';
import type { VisitsService } from '../../books/visits/service.js';
import type { ReferralsService } from '../../books/referrals/service.js';
import type { PayoutsService } from '../../books/payouts/service.js';
import type { IntegrationsService } from '../integrations/service.js';
import type { SitesService } from '../connected-sites/service.js';

/** The platform, and the modules this one calls. */
export interface Needs extends Platform {
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly balances: BalancesService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
  readonly referrals: ReferralsService;
  readonly payouts: PayoutsService;
  readonly integrations: IntegrationsService;
  readonly sites: SitesService;
}
