import type { DigitsTable } from './amounts.js';

/** How amounts of an event are read. */
export interface StripeReading {
  readonly digits: DigitsTable;
}

/** What stands round the object of an event. */
export interface StripeEnvelope {
  readonly type: string;
  readonly at: number;
  readonly account: string;
  readonly test: boolean;
}
