import { internalEvent } from '../../platform/internal-events.js';
import type { Customer } from './types.js';

/** A buyer was forgotten: the row holds nothing personal any more. `customer` is as it was before. */
export const customerErased = internalEvent<{ readonly customer: Customer }>('customer.erased');
