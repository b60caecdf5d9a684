import type { Query } from '../../records/list.js';
import type { ReferralStatus } from '../ledger/types.js';
import type { MoneyState } from './words.js';

export * from './words.js';

/** The affiliates a balance is read for: some, those that a query finds, or all together. */
export type BalanceScope =
  { readonly ids: readonly number[] } | { readonly matching: (query: Query) => void } | 'all';

/** The money in one currency, by state; amounts are minor units. */
export interface Balance extends Readonly<Record<`${MoneyState}_minor`, number>> {
  readonly currency: string;
  /** Canceled amount by reason; its sum is `canceled_minor`. */
  readonly canceled_reasons: Readonly<Record<string, number>>;
}

/** The columns of a referral that decide its state. */
export interface StatedReferral {
  readonly id: number;
  readonly status: ReferralStatus;
  readonly amount_minor: number;
  readonly payable_at: number | null;
  readonly payout_transaction_id: number | null;
}

export interface CommissionState {
  readonly state: MoneyState;
  /** Amount that counts. 0 if the commission is canceled. */
  readonly counted_minor: number;
  /** What a canceled commission would have been; null in other states. */
  readonly would_have_been_minor: number | null;
}

/** Paid and owed money in one currency; payable and waiting are one amount. */
export interface PaidAndOwed {
  readonly currency: string;
  readonly paid_minor: number;
  readonly on_its_way_minor: number;
  readonly owed_minor: number;
}
