import type { Platform } from '../../platform/platform.js';
import type { ErasureService } from '../erasure/service.js';
import type { EventLog } from '../event-log/service.js';
import type { AuditService } from '../audit/service.js';
import type { SettingsService } from '../settings/service.js';
import type { WorksService } from '../long-work/service.js';
import type { GroupsService } from '../groups/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly erasure: ErasureService;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly works: WorksService;
}
