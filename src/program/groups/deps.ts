import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { groupHooks } from './hooks.js';
import type { EventLog } from '../event-log/service.js';
import type { AuditService } from '../audit/service.js';
import type { SettingsService } from '../settings/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof groupHooks>;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
}
