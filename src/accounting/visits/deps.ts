import type { Platform } from '../../platform/platform.js';
import type { EventLog } from '../../program/event-log/service.js';
import type { OperationsService } from '../../program/operations/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { LedgerService } from '../ledger/service.js';
import type { RollupsService } from '../rollups/service.js';

export interface Deps extends Platform {
  readonly eventLog: EventLog;
  readonly affiliates: AffiliatesService;
  readonly ledger: LedgerService;
  readonly rollups: RollupsService;
  readonly operations: OperationsService;
}
