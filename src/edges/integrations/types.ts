import type { ProviderEvent } from '../../../adapters/commerce.js';

export type Flag = 'yes' | 'no';

export interface RateRow {
  readonly object_type: 'product' | 'category';
  readonly object_ids: readonly string[];
  readonly rate: number;
  readonly rate_type: 'percentage' | 'fixed';
}

/** The stored settings of a provider; its own fields are flags or tables of rates too. */
export type StoredConfig = Readonly<Record<string, unknown>>;

/** The state of a delivered event. `received` with `awaits_ref`: it waits for its order. */
export const DELIVERY_STATUSES = ['received', 'processing', 'done', 'ignored', 'failed', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

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
