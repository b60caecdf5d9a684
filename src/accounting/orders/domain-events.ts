import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';

/** A person entered a commission for an order that has no record yet. */
export const commissionEntered = internalEvent<{
  /** `manual`: the person named none. */
  readonly provider: string;
  readonly reference: string;
}>('order.entered');

/** A recorded order with a total is paid. Emitted each time it is settled again. */
export const orderPaid = internalEvent<{
  readonly customerId: number;
  readonly afterCommit: AfterCommit;
}>('order.paid');
