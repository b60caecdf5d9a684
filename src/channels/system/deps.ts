import type { Platform } from '../../platform/platform.js';
import type { Risk } from '../../risks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { IntegrationsService } from '../commerce/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { EventsService } from '../webhooks/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { WorksService } from '../../program/long-work/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly integrations: IntegrationsService;
  readonly affiliates: AffiliatesService;
  readonly events: EventsService;
  readonly works: WorksService;
}
