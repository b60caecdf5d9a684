import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ManagersService } from '../../program/managers/service.js';
import type { EmailsService } from '../emails/service.js';

export interface Deps extends Platform {
  readonly audit: AuditService;
  readonly outbox: OutboxService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly managers: ManagersService;
  readonly emails: EmailsService;
}
