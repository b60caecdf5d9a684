import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { payoutHooks } from './hooks.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { OutboxService } from '../../program/outbox/service.js';
import type { AuditService } from '../../program/audit/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { BalancesService } from '../balances/service.js';
import type { LedgerService } from '../ledger/service.js';
import type { ReferralsService } from '../referrals/service.js';
import type { OrdersService } from '../orders/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof payoutHooks>;
  readonly eventLog: EventLog;
  readonly outbox: OutboxService;
  readonly audit: AuditService;
  readonly operations: OperationsService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly balances: BalancesService;
  readonly ledger: LedgerService;
  readonly referrals: ReferralsService;
  readonly orders: OrdersService;
}
