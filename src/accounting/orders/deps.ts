import type { Platform } from '../../platform/platform.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { WorksService } from '../../program/long-work/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { LedgerService } from '../ledger/service.js';
import type { ReferralsService } from '../referrals/service.js';
import type { CustomersService } from '../customers/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly eventLog: EventLog;
  readonly works: WorksService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly referrals: ReferralsService;
  readonly customers: CustomersService;
}
