import type { AfterCommit } from '../../platform/database/db.js';
import { internalEvent } from '../../platform/internal-events.js';

/** The program's currency becomes another one; `confirm`: also while a payout is open. */
export const currencyChanging = internalEvent<{
  readonly from: string;
  readonly to: string;
  readonly confirm: boolean;
  readonly afterCommit: AfterCommit;
}>('currency.changing');
