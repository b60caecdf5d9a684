import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { commerceHooks } from './hooks.js';
import type { settingsHooks } from '../../program/settings/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { CustomersService } from '../../accounting/customers/service.js';
import type { OrdersService } from '../../accounting/orders/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof commerceHooks & typeof settingsHooks>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly visits: VisitsService;
  readonly affiliates: AffiliatesService;
  readonly referrals: ReferralsService;
  readonly customers: CustomersService;
  readonly orders: OrdersService;
  readonly tracking: TrackingService;
  readonly conversions: ConversionsService;
}
