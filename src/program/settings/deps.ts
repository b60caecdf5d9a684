import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { settingsHooks } from './hooks.js';
import type { AuditService } from '../audit/service.js';
import type { EventLog } from '../event-log/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof settingsHooks>;
  readonly audit: AuditService;
  readonly eventLog: EventLog;
}
