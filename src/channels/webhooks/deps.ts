import type { Platform } from '../../platform/platform.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';

export interface Deps extends Platform {
  readonly eventLog: EventLog;
  readonly outbox: OutboxService;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly referrals: ReferralsService;
  readonly payouts: PayoutsService;
}
