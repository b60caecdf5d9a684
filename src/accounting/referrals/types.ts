import type { ListQuery } from '../../platform/http/schema.js';
import type { CreationRange, RecordQuery, SubIdQuery } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import type { ReferralStatus } from '../ledger/types.js';
import type { FormOf } from '../../records/record.js';
import type { Referral, referrals } from './record.js';

export type { ReferralStatus } from '../ledger/types.js';
export type { Referral } from './record.js';
export * from './words.js';

/** A new row; what is absent is null, times default to now. */
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
    | 'status'
    | 'amount_minor'
    | 'order_total_minor'
    | 'type'
    | 'description'
    | 'settings'
    | 'reject_reason'
    | 'customer_id'
  >
>;

/** Input of `POST /referrals`, unchecked. */
export interface ReferralInput extends FormOf<typeof referrals> {
  readonly affiliate_id?: unknown;
}

export type ReferralPatch = Pick<ReferralInput, 'amount' | 'status' | 'type' | 'description'> & {
  /** Why amount or status is changed; stored with the order of the commission. */
  readonly reason?: unknown;
  /** `true`: the affiliate reads the reason of a rejection. */
  readonly show_reason?: unknown;
};

export interface ReferralListQuery extends ListQuery, RecordQuery, SubIdQuery {
  readonly status?: unknown;
  /** States of money, one or several. */
  readonly state?: unknown;
}

/** Whose sales are counted, and until when; `beforeId`: only those that were recorded before this commission. */
export interface SalesQuery {
  readonly affiliateId: number;
  readonly until: number;
  readonly beforeId?: number | undefined;
}

/** The filters of one list or export, for the query. */
export interface ReferralFilter {
  readonly affiliateId?: number;
  readonly payoutId?: number;
  /** Only those recorded before this instant. */
  readonly before?: number;
  /** Empty: every status. */
  readonly statuses: readonly ReferralStatus[];
  /** Narrows the rows to states of money; null: all. */
  readonly inState: Matching | null;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
  readonly created: CreationRange;
  readonly subIds: SubIdQuery;
  /** The currency of rows that name none. */
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

/** Refunds as an event shows them. */
export type RefundsOfEvent = readonly {
  readonly refund_id: string | null;
  /** Null when only what is left of the order was reported. */
  readonly amount: number | null;
  readonly currency: string;
  /** It was taken back. */
  readonly undone: boolean;
  readonly refunded_at: string;
}[];

/** What goals and levels count. Amounts are minor units of the program's currency. */
export interface Metrics {
  readonly sales: number;
  readonly amount_minor: number;
  readonly leads: number;
  readonly customers: number;
}
