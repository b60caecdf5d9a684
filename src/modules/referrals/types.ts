import type { Minor } from '../../core/money.js';
import type { ListQuery } from '../../http/schema.js';

export type ReferralStatus = 'pending' | 'unpaid' | 'rejected' | 'paid' | 'processing' | 'cancelled';
/** `adjustment`: a correction of the balance without an order, or, with `parent_id`, what is taken back of a paid commission. */
export type ReferralType =
  'sale' | 'opt_in' | 'payment' | 'recurring_sale' | 'lifetime_sale' | 'lead' | 'adjustment';

export const STATUSES = [
  'paid',
  'unpaid',
  'pending',
  'rejected',
  'cancelled',
  'processing',
] as const satisfies readonly ReferralStatus[];
/** What affiliates do not see of their own (portal §4). */
export const HIDDEN_STATUSES = ['pending', 'processing'] as const satisfies readonly ReferralStatus[];
/** What a request may set. */
export const MANUAL_STATUSES = ['unpaid', 'rejected', 'pending'] as const satisfies readonly ReferralStatus[];
export const MANUAL_TYPES = ['sale', 'opt_in'] as const satisfies readonly ReferralType[];

/** Provider data, the original order and the explanation of the amount. */
export type ReferralSettings = Readonly<Record<string, unknown>>;

/** A commission. Amounts are minor units of `currency`; null reads as the program currency. */
export interface Referral {
  readonly id: number;
  readonly affiliate_id: number | null;
  readonly parent_id: number | null;
  readonly customer_id: number | null;
  readonly visit_id: number | null;
  readonly description: string | null;
  readonly status: ReferralStatus;
  readonly amount_minor: Minor;
  readonly order_total_minor: Minor | null;
  readonly currency: string | null;
  readonly utm_campaign: string | null;
  readonly provider: string | null;
  readonly provider_id: string | null;
  readonly provider_sub_id: string | null;
  /** Same order, same key; null for rows entered by hand. */
  readonly dedup_key: string | null;
  readonly site_id: string | null;
  readonly products: readonly unknown[] | null;
  readonly payout_transaction_id: number | null;
  readonly payout_id: number | null;
  /** Paid before it was imported, so outside every payout. */
  readonly paid_elsewhere: boolean;
  readonly type: ReferralType;
  readonly settings: ReferralSettings | null;
  readonly payload_hash: string | null;
  readonly reject_reason: string | null;
  readonly payable_at: number | null;
  /** Set by imports only. */
  readonly source_key: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What a new row needs; everything left out is null, times default to now. */
export type NewReferral = Pick<Referral, 'status' | 'amount_minor' | 'type'> & {
  readonly affiliate_id: number;
} & Partial<
    Omit<
      Referral,
      'id' | 'affiliate_id' | 'status' | 'amount_minor' | 'type' | 'payout_id' | 'payout_transaction_id'
    >
  >;

export type ReferralChange = Partial<
  Pick<
    Referral,
    'status' | 'amount_minor' | 'order_total_minor' | 'type' | 'description' | 'settings' | 'reject_reason'
  >
>;

/** Input of `POST /referrals`, unchecked. */
export interface ReferralInput {
  readonly affiliate_id?: unknown;
  readonly amount?: unknown;
  readonly status?: unknown;
  readonly type?: unknown;
  readonly description?: unknown;
  readonly provider?: unknown;
  readonly provider_id?: unknown;
}

export type ReferralPatch = Pick<ReferralInput, 'amount' | 'status' | 'type' | 'description'> & {
  /** Why amount or status are changed; kept with an order's commission. */
  readonly reason?: unknown;
};

export interface ReferralListQuery extends ListQuery {
  readonly status?: unknown;
}

/** One list or export in the words of the database layer. */
export interface ReferralFilter {
  readonly affiliateId?: number;
  readonly payoutId?: number;
  readonly status: ReferralStatus | null;
  readonly search: string;
  /** Null currency reads as this one. */
  readonly currency: string;
}

export interface ReferralOrder {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

export interface VisitReferral {
  readonly id: number;
  readonly visit_id: number;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
}

/** Why a commission is still pending. */
export const WAITS_FOR = [
  'payment',
  'fraud',
  'dispute',
  'unsigned',
  'currency_mismatch',
  'totals_mismatch',
  'person',
] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];
