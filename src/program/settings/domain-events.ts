import { internalEvent } from '../../platform/internal-events.js';

/** The currency of the program is being changed; `confirm`: even while a payout is open. */
export const currencyChanging = internalEvent<{
  readonly from: string;
  readonly to: string;
  readonly confirm: boolean;
}>('currency.changing');
