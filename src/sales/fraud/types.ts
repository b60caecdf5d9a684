import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudAction, FraudEvidence, FraudRule } from './words.js';

export type { FraudEvent } from './record.js';
export * from './words.js';

export interface FraudHit {
  readonly rule: FraudRule;
  readonly action: FraudAction;
  readonly evidence: FraudEvidence;
}

export interface Buyer {
  readonly email: string | null;
  readonly user_id: number | null;
  /** The source's own name for card or account; only its keyed hash is kept, and only of affiliates. */
  readonly payment_fingerprint: string | null;
}

/** A credited order before it is recorded. */
export interface Suspect {
  readonly affiliate: Affiliate;
  readonly buyer: Buyer;
  readonly visit_id: number | null;
  /** When the order was placed. */
  readonly at: number;
  /** The buyer's address; null when nobody named it. */
  readonly address: string | null;
  /** Host user of the request. */
  readonly signedIn: number | null;
  /** Renewals were judged with their first payment: only own purchases are looked for. */
  readonly isRenewal: boolean;
}

/** The order behind hits. */
export interface JudgedOrder {
  readonly affiliate_id: number;
  readonly referral_id: number | null;
  readonly provider: string;
  readonly provider_id: string;
  readonly buyer: Pick<Buyer, 'email' | 'user_id'>;
}

/**
 * What is remembered of an affiliate, as keyed hashes: addresses it was seen at,
 * means of payment, where it is paid.
 */
export type MarkKind = 'address' | 'payment' | 'payout';

export interface FraudEventQuery {
  readonly page: number;
  readonly per_page: number;
  readonly rule?: string;
  readonly affiliate_id?: number;
}
