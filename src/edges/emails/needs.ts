import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { RewardsService } from '../../sales/rewards/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { RollupsService } from '../../books/rollups/service.js';
import type { ReferralsService } from '../../books/referrals/service.js';
import type { PayoutsService } from '../../books/payouts/service.js';
import type { TrackingService } from '../../sales/tracking/service.js';
import type { ConversionsService } from '../../sales/conversions/service.js';
import type { PayersService } from '../payers/service.js';
import type { EventsService } from '../events/service.js';

/** The platform, and the modules this one calls. */
export interface Needs extends Platform {
  readonly audit: AuditService;
  readonly outbox: OutboxService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly rewards: RewardsService;
  readonly affiliates: AffiliatesService;
  readonly rollups: RollupsService;
  readonly referrals: ReferralsService;
  readonly payouts: PayoutsService;
  readonly tracking: TrackingService;
  readonly conversions: ConversionsService;
  readonly events: EventsService;
  readonly payers: PayersService;
}
