import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { emailHooks } from './hooks.js';
import type { settingsHooks } from '../../program/settings/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { RewardsService } from '../../attribution/rewards/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';
import type { PayersService } from '../payers/service.js';
import type { WebhooksService } from '../webhooks/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof emailHooks & typeof settingsHooks>;
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
  readonly webhooks: WebhooksService;
  readonly payers: PayersService;
}
