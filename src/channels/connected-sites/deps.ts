import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { connectedSiteHooks } from './hooks.js';
import type { settingsHooks } from '../../program/settings/hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof connectedSiteHooks & typeof settingsHooks>;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
  readonly orders: OrdersService;
  readonly tracking: TrackingService;
  readonly conversions: ConversionsService;
}
