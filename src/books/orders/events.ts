import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';

/** An order with a total is paid; told whenever it is settled. */
export const orderPaid = internalEvent<{
  readonly customerId: number;
  readonly afterCommit: AfterCommit;
}>('order.paid');
