import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';
import type { Customer } from './types.js';

/** The personal data of a buyer were deleted. `customer` is the row as it was before. */
export const customerErased = internalEvent<{ readonly customer: Customer }>('customer.erased');

/** Everything of another customer belongs to this one from now on. The affiliates of both are locked. */
export const customersMerged = internalEvent<{
  readonly customerId: number;
  readonly afterCommit: AfterCommit;
}>('customer.merged');
