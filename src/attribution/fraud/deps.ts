import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { fraudHooks } from './hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof fraudHooks>;
  readonly eventLog: EventLog;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
}
