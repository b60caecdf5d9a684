import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../audit/service.js';

export interface Deps extends Platform {
  readonly audit: AuditService;
}
