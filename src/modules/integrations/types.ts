import type { ProviderEvent } from '../../../adapters/commerce.js';

export type Flag = 'yes' | 'no';

export interface RateRow {
  readonly object_type: 'product' | 'category';
  readonly object_ids: readonly string[];
  readonly rate: number;
  readonly rate_type: 'percentage' | 'fixed';
}

/** What is stored of a provider's settings; fields of its own are flags or rate tables too. */
export type StoredConfig = Readonly<Record<string, unknown>>;

/** What became of a delivered event. `received` with `awaits_ref`: waits for its order. */
export type DeliveryStatus = 'received' | 'processing' | 'done' | 'ignored' | 'failed' | 'dead';

export interface StoredDelivery {
  readonly id: number;
  readonly provider: string;
  readonly delivery_key: string;
  readonly topic: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly claimed_at: number | null;
  readonly awaits_ref: string | null;
  readonly reason: string | null;
  readonly event: ProviderEvent | null;
  readonly received_at: number;
}

export type OrderState = 'attributed' | 'created' | 'paid' | 'canceled' | 'refunded';

/** What the order is worth, in parts refunds are measured against. */
export interface OrderAmounts {
  readonly base_minor: number;
  readonly grand_total_minor: number;
  readonly exclude_discount: Flag;
  readonly exclude_tax: Flag;
  readonly exclude_shipping: Flag;
  readonly paid_minor: number;
}
export interface OrderItem {
  readonly id: string;
  readonly net: number;
  readonly before: number;
  readonly commissionable: boolean;
}

export interface RefundEntry {
  readonly gross: number;
  /** The same as part of the commission base, when the items are known. */
  readonly base: number | null;
}
export interface RefundBook {
  readonly by_id: Readonly<Record<string, RefundEntry>>;
  /** Latest cumulative amount, for shops without refund ids. */
  readonly cumulative: RefundEntry | null;
  /** Time of the latest whole list of refunds that changed something. */
  readonly listed_at?: number;
  /** Disputes that keep the commission back. */
  readonly holds: readonly string[];
  /** Disputes that are decided: their opening may be told later. */
  readonly closed: readonly string[];
  /** What the order was before it was refunded in full, in case a refund fails. */
  readonly before?: OrderState;
}

/** An order with attribution; orders nobody brought leave no row (commerce-providers §3). */
export interface LedgerOrder {
  readonly id: number;
  readonly provider: string;
  readonly account: string;
  readonly provider_id: string;
  readonly sub_id: string;
  readonly subscription_id: string | null;
  readonly state: OrderState;
  readonly event_at: number;
  readonly currency: string;
  readonly totals: OrderAmounts | null;
  readonly items: readonly OrderItem[];
  readonly refunds: RefundBook;
  readonly customer_id: number | null;
  readonly affiliate_id: number | null;
  readonly visit_id: number | null;
  readonly source: string | null;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly referral_id: number | null;
}
export type NewOrder = Omit<LedgerOrder, 'id'>;
