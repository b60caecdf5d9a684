import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { orderHooks } from './hooks.js';
import type { customerHooks } from '../customers/hooks.js';
import type { referralHooks } from '../referrals/hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { LedgerService } from '../ledger/service.js';
import type { ReferralsService } from '../referrals/service.js';
import type { CustomersService } from '../customers/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof orderHooks & typeof customerHooks & typeof referralHooks>;
  readonly eventLog: EventLog;
  readonly operations: OperationsService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly referrals: ReferralsService;
  readonly customers: CustomersService;
}
