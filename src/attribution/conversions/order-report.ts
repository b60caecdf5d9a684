import type { IncomingMessage } from 'node:http';
import type { NewFact, OpenReason, OrderLine } from '../../accounting/orders/types.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { LatestClick } from '../fraud/types.js';
import type { ReportedInput, SkipReason } from './types.js';

/** An order as every way in reports it: code, REST, a connected site, a shop, a lead, a bonus. */
export interface OrderReport {
  readonly input: ReportedInput;
  /** The buyer's own request; null for calls between servers. */
  readonly req: IncomingMessage | null;
  /** The click that set or renewed the cookie, when the caller knows it. */
  readonly click?: LatestClick | null;
  /**
   * Set for a shop's order. The shop reports the whole order again, so a repeat with other data is no error, and
   * an order that a rule against fraud refuses is judged again.
   */
  readonly shop?: ShopReport;
}

/** What a shop knows of its order, and the rows it stores with it. */
export interface ShopReport {
  readonly within: Within;
  /** The buyer's click on a link of the affiliate whose coupon credits the order. */
  readonly couponClick?: number | null;
  readonly order?: {
    /** When the order was paid; null when it is not paid. */
    readonly paid_at: number | null;
    readonly reasons: readonly OpenReason[];
    readonly lines: readonly OrderLine[];
    readonly source: string | null;
    readonly facts: readonly NewFact[];
  };
}

/**
 * Stores rows of the caller in the transaction of the order: locks them, awaits `store`, and stores what came of
 * it. It may run more than once, so it changes only the database. `skipped` is set when nothing will be credited.
 */
export type Within = (
  opened: OpenTransaction,
  store: () => Promise<RecordOutcome>,
  skipped: SkipReason | null,
) => Promise<RecordOutcome>;

export interface RecordOutcome {
  readonly referral: Referral | null;
  readonly created: boolean;
  /** Why no commission was made, or what is unusual about it; null when there is nothing to say. */
  readonly reason: SkipReason | null;
}
