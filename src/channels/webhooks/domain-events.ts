import { internalEvent } from '../../platform/internal-events.js';

/** An endpoint was switched off because it did not respond. */
export const endpointDisabled = internalEvent<{ readonly id: number; readonly at: number }>(
  'endpoint.disabled',
);
