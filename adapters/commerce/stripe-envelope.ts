import type { DigitsTable } from './amounts.js';

/** How the amounts of an event are read. */
export interface StripeReading {
  readonly digits: DigitsTable;
}

/** The fields around the object of an event. */
export interface StripeEnvelope {
  readonly type: string;
  readonly at: number;
  readonly account: string;
  readonly test: boolean;
}
