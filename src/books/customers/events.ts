import { internalEvent } from '../../platform/internal-events.js';
import type { Customer } from './types.js';

/** The personal data of a buyer were deleted. `customer` is the row as it was before. */
export const customerErased = internalEvent<{ readonly customer: Customer }>('customer.erased');
