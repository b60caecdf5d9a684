import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { VisitsService } from '../../books/visits/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ReferralsService } from '../../books/referrals/service.js';
import type { CustomersService } from '../../books/customers/service.js';
import type { OrdersService } from '../../books/orders/service.js';
import type { TrackingService } from '../../sales/tracking/service.js';
import type { ConversionsService } from '../../sales/conversions/service.js';

/** The platform, and the modules this one calls. */
export interface Needs extends Platform {
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
