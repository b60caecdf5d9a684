import type { Platform } from '../../platform/platform.js';
import type { EventLog } from '../event-log/service.js';
import type { AuditService } from '../audit/service.js';
import type { SettingsService } from '../settings/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
}
