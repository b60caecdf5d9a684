import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../audit/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly audit: AuditService;
}
