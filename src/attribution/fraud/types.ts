import type { RecordQuery } from '../../records/filters.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Visit } from '../../accounting/visits/types.js';
import type { LatestClick } from '../../accounting/orders/types.js';
import type { FraudAction, FraudEvidence, FraudRule } from './words.js';

export type { FraudEvent } from './record.js';
export type { ClickSign, LatestClick } from '../../accounting/orders/types.js';
export * from './words.js';

/** What the rules look at in a click, stored as a visit or not. */
export type ClickEvidence = Pick<Visit, 'url' | 'referrer' | 'utm_campaign' | 'utm_medium'>;

export interface FraudHit {
  readonly rule: FraudRule;
  readonly action: FraudAction;
  readonly evidence: FraudEvidence;
}

export interface Buyer {
  readonly email: string | null;
  readonly user_id: number | null;
  /** The source's fingerprint of card or account; only its keyed hash is stored, and only for affiliates. */
  readonly payment_fingerprint: string | null;
}

/** A credited order before it is recorded. */
export interface Suspect {
  readonly affiliate: Affiliate;
  readonly buyer: Buyer;
  readonly visit_id: number | null;
  /** Null when the order is not credited by a cookie. */
  readonly click?: LatestClick | null;
  /**
   * Set when a coupon credits the order: the time of the buyer's latest click on a link of its affiliate; null
   * when none is known.
   */
  readonly coupon?: { readonly clicked_at: number | null } | null;
  /** When the order was placed. */
  readonly at: number;
  /** The buyer's address; null when it is unknown. */
  readonly address: string | null;
  /** The host user who made the request. */
  readonly signedIn: number | null;
  /** A renewal was checked with its first payment: only own purchases are looked for. */
  readonly isRenewal: boolean;
}

/** The order that hits belong to. */
export interface OrderToCheck {
  readonly affiliate_id: number;
  readonly referral_id: number | null;
  readonly provider: string;
  readonly provider_id: string;
  readonly buyer: Pick<Buyer, 'email' | 'user_id'>;
}

/** What is stored of an affiliate, as keyed hashes: addresses, means of payment, and where they are paid. */
export type MarkKind = 'address' | 'payment' | 'payout';

export interface FraudEventQuery extends RecordQuery {
  readonly page: number;
  readonly per_page: number;
  readonly rule?: string;
}
