import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { importHooks } from './hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { LedgerService } from '../../accounting/ledger/service.js';
import type { RollupsService } from '../../accounting/rollups/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { RewardsService } from '../../attribution/rewards/service.js';
import type { CommerceService } from '../commerce/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof importHooks>;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly operations: OperationsService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
  readonly orders: OrdersService;
  readonly tracking: TrackingService;
  readonly rewards: RewardsService;
  readonly commerce: CommerceService;
}
