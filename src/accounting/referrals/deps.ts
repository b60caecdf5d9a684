import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { referralHooks } from './hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../balances/service.js';
import type { LedgerService } from '../ledger/service.js';
import type { RollupsService } from '../rollups/service.js';
import type { VisitsService } from '../visits/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof referralHooks>;
  readonly eventLog: EventLog;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
  readonly balances: BalancesService;
  readonly ledger: LedgerService;
  readonly rollups: RollupsService;
  readonly visits: VisitsService;
}
