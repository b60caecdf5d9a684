import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { CustomerDto, RulesDto } from '../api-schemas.js';
import type { OrderDto, PayoutOfReferralDto } from './schemas.js';
import type { NewReferral, Referral, ReferralStatus } from './types.js';

/** Data of the commission that its order has, and changes that a person makes there. */
export interface OrdersOfReferrals {
  /** Null for a commission without an order, also in the methods below. */
  explain(referral: Referral): Promise<OrderDto | null>;
  has(referralId: number): Promise<boolean>;
  /** What each one waits for, by referral id. */
  reasons(ids: readonly number[]): Promise<ReadonlyMap<number, readonly string[] | null>>;
  /** Stores a commission that a person enters for the order with this number, and ties it to the order. */
  enter(
    books: { readonly trx: Db; readonly afterCommit: AfterCommit },
    entered: {
      readonly row: NewReferral & { readonly currency: string; readonly provider: string };
      readonly reference: string;
      readonly insert: (row: NewReferral) => Promise<Referral>;
    },
  ): Promise<Referral>;
  lastVerdict(referralId: number): Promise<'approved' | 'rejected' | 'held' | null>;
  review(
    books: { readonly trx: Db; readonly afterCommit: AfterCommit },
    referralId: number,
    change: {
      readonly amount?: number;
      readonly status?: ReferralStatus;
      readonly reason: string | null;
      /** The affiliate may read the reason. */
      readonly isShown: boolean;
    },
  ): Promise<Referral | null>;
  /** Why a person rejected them, in words that the affiliate may read, by referral id. */
  shownReasons(referralIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** What modules above add to a commission; registered when the service is built. */
export interface ReferralContributions {
  readonly orders: OrdersOfReferrals;
  customer(id: number): Promise<CustomerDto | null>;
  /** The reward rules of its order. */
  rules(referral: Referral): Promise<RulesDto | null>;
  payout(id: number): Promise<PayoutOfReferralDto | null>;
  /** The address of the order in its shop. */
  orderUrl(provider: string, reference: string, account: string): string;
}

export const NO_CONTRIBUTIONS: ReferralContributions = {
  orders: {
    explain: async () => null,
    has: async () => false,
    reasons: async () => new Map(),
    enter: async (_books, { row, insert }) => insert(row),
    lastVerdict: async () => null,
    review: async () => null,
    shownReasons: async () => new Map(),
  },
  customer: async () => null,
  rules: async () => null,
  payout: async () => null,
  orderUrl: () => '',
};
