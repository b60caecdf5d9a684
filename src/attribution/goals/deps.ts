import type { Platform } from '../../platform/platform.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { LedgerService } from '../../accounting/ledger/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { ConversionsService } from '../conversions/service.js';
import type { RewardsService } from '../rewards/service.js';

export interface Deps extends Platform {
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly referrals: ReferralsService;
  readonly orders: OrdersService;
  readonly rewards: RewardsService;
  readonly conversions: ConversionsService;
}
