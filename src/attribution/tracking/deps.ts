import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { trackingHooks } from './hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from '../../accounting/visits/service.js';
import type { FraudService } from '../fraud/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof trackingHooks>;
  readonly eventLog: EventLog;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
  readonly fraud: FraudService;
}
