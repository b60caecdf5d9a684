import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { conversionHooks } from './hooks.js';
import type { customerHooks } from '../../accounting/customers/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { CustomersService } from '../../accounting/customers/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { RewardsService } from '../rewards/service.js';
import type { FraudService } from '../fraud/service.js';
import type { TrackingService } from '../tracking/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof conversionHooks & typeof customerHooks>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
  readonly referrals: ReferralsService;
  readonly customers: CustomersService;
  readonly orders: OrdersService;
  readonly fraud: FraudService;
  readonly rewards: RewardsService;
  readonly tracking: TrackingService;
}
