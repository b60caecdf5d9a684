import type { Platform } from '../../platform/platform.js';
import type { Risk } from '../../risks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { IntegrationsService } from '../integrations/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { EventsService } from '../events/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { WorksService } from '../../program/works/service.js';

/** The platform, and the modules this one calls. */
export interface Needs extends Platform {
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly integrations: IntegrationsService;
  readonly affiliates: AffiliatesService;
  readonly events: EventsService;
  readonly works: WorksService;
}
