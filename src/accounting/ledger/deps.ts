import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { ledgerHooks } from './hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof ledgerHooks>;
  readonly audit: AuditService;
  readonly operations: OperationsService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
}
