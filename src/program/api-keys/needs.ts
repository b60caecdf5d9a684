import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../audit/service.js';

/** What stands below every module, and the modules this one calls. */
export interface Needs extends Platform {
  readonly audit: AuditService;
}
