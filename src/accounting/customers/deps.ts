import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { customerHooks } from './hooks.js';
import type { ErasureService } from '../../program/erasure/service.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from '../visits/service.js';
import type { ReferralsService } from '../referrals/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof customerHooks>;
  readonly erasure: ErasureService;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
  readonly referrals: ReferralsService;
}
