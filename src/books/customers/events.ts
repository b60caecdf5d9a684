import { internalEvent } from '../../platform/internal-events.js';
import type { Customer } from './types.js';

/** What was known of a buyer is gone here; `customer` is as it was before. */
export const customerErased = internalEvent<{ readonly customer: Customer }>('customer.erased');
