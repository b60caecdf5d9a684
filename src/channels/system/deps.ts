import type { Platform } from '../../platform/platform.js';
import type { Risk } from '../../platform/risks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { CommerceService } from '../commerce/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { WebhooksService } from '../webhooks/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { OperationsService } from '../../program/operations/service.js';

export interface Deps extends Platform {
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly commerce: CommerceService;
  readonly affiliates: AffiliatesService;
  readonly webhooks: WebhooksService;
  readonly operations: OperationsService;
}
