import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';

/** A recorded order with a total is paid. Emitted each time it is settled again. */
export const orderPaid = internalEvent<{
  readonly customerId: number;
  readonly afterCommit: AfterCommit;
}>('order.paid');
