import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { reportHooks } from './hooks.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../../accounting/balances/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';
import type { CommerceService } from '../commerce/service.js';
import type { ConnectedSitesService } from '../connected-sites/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof reportHooks>;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly balances: BalancesService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
  readonly referrals: ReferralsService;
  readonly payouts: PayoutsService;
  readonly commerce: CommerceService;
  readonly connectedSites: ConnectedSitesService;
}
