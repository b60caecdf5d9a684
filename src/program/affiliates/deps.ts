import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { affiliateHooks } from './hooks.js';
import type { ErasureService } from '../erasure/service.js';
import type { EventLog } from '../event-log/service.js';
import type { AuditService } from '../audit/service.js';
import type { SettingsService } from '../settings/service.js';
import type { OperationsService } from '../operations/service.js';
import type { GroupsService } from '../groups/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof affiliateHooks>;
  readonly erasure: ErasureService;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly operations: OperationsService;
}
