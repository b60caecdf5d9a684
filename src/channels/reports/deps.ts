import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../../accounting/balances/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';
import type { IntegrationsService } from '../commerce/service.js';
import type { SitesService } from '../connected-sites/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
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
