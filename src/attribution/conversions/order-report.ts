import type { IncomingMessage } from 'node:http';
import type { OpenReason, Order, OrderLine } from '../../accounting/orders/types.js';
import type { OpenTransaction } from '../../accounting/orders/service.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { LatestClick } from '../fraud/types.js';
import type { ReportedInput, SkipReason } from './types.js';

/** An order as every entry point reports it: code, REST, a connected site, a shop, a lead, a bonus. */
export interface OrderReport {
  readonly input: ReportedInput;
  /** The buyer's own request; null for calls between servers. */
  readonly req: IncomingMessage | null;
  /** The click that set or renewed the cookie, when the caller knows it. */
  readonly click?: LatestClick | null;
  /**
   * Set for a shop's order. The shop reports the whole order again, so a repeat with other data is no error, and
   * an order that a fraud rule refuses is checked again.
   */
  readonly shop?: ShopReport;
}

/** What a shop knows of its order, and the rows it stores with it. */
export interface ShopReport {
  /**
   * Stores rows of the shop in the transaction of the order, such as the result of the webhook delivery. It may run
   * more than once, so it changes only the database.
   */
  readonly within: (opened: OpenTransaction, outcome: RecordOutcome) => Promise<void>;
  /** The buyer's click on a link of the affiliate whose coupon credits the order. */
  readonly couponClick?: number | null;
  readonly order?: {
    /** When the order was paid; null when it is not paid. */
    readonly paid_at: number | null;
    readonly reasons: readonly OpenReason[];
    readonly lines: readonly OrderLine[];
    readonly source: string | null;
    readonly subscription_id: string | null;
    /** The record that an earlier event of the shop made; null when there is none. */
    readonly known: Order | null;
  };
}

export interface RecordOutcome {
  readonly referral: Referral | null;
  readonly created: boolean;
  /** Why no commission was made, or what is unusual about it; null otherwise. */
  readonly reason: SkipReason | null;
  /** The record of the order; null when this report stored none. */
  readonly order: Order | null;
}

/** The order is not credited, or was stored before. */
export const notCreated = (
  reason: SkipReason,
  { referral = null, order = null }: Partial<RecordOutcome> = {},
): RecordOutcome => ({ referral, created: false, reason, order });
