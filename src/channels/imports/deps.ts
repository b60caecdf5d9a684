import type { Platform } from '../../platform/platform.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { WorksService } from '../../program/long-work/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { LedgerService } from '../../accounting/ledger/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { RewardsService } from '../../attribution/rewards/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';
import type { IntegrationsService } from '../commerce/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly works: WorksService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
  readonly orders: OrdersService;
  readonly tracking: TrackingService;
  readonly rewards: RewardsService;
  readonly conversions: ConversionsService;
  readonly integrations: IntegrationsService;
}
