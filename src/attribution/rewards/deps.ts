import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { SettingsService } from '../../program/settings/service.js';

export interface Deps extends Platform {
  readonly outbox: OutboxService;
  readonly audit: AuditService;
  readonly eventLog: EventLog;
  readonly groups: GroupsService;
  readonly settings: SettingsService;
  readonly operations: OperationsService;
  readonly orders: OrdersService;
  readonly referrals: ReferralsService;
  readonly affiliates: AffiliatesService;
}
