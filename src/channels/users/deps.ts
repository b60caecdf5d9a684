import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ApiKeysService } from '../../program/api-keys/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { CustomersService } from '../../accounting/customers/service.js';

export interface Deps extends Platform {
  readonly audit: AuditService;
  readonly affiliates: AffiliatesService;
  readonly apiKeys: ApiKeysService;
  readonly visits: VisitsService;
  readonly customers: CustomersService;
}
