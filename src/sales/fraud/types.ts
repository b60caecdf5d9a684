import type { Affiliate } from '../../program/affiliates/types.js';

/**
 * What can speak against an order, in the order it is looked at; closed.
 * The same words are reasons of orders not credited.
 */
export const FRAUD_RULES = [
  'self_referral',
  'same_domain',
  'same_address',
  'same_payment',
  'disposable_mail',
  'banned_referrer',
  'coupon_site',
  'paid_traffic',
  'fast_order',
  'address_orders',
  'refund_ratio',
  'shared_payout',
  'same_order',
] as const;
export type FraudRule = (typeof FRAUD_RULES)[number];

/** Told in the referral; told and kept for a person to decide; no commission. */
export const FRAUD_ACTIONS = ['flag', 'hold', 'reject'] as const;
export type FraudAction = (typeof FRAUD_ACTIONS)[number];
export interface FraudHit {
  readonly rule: FraudRule;
  readonly action: FraudAction;
  readonly evidence: FraudEvidence;
}

/** How an own purchase was recognised. */
export const OWN_MATCHES = ['user', 'mail', 'extension'] as const;

/** What a rule saw, as it was then; nothing in it names the buyer. */
export interface FraudEvidence {
  readonly match?: (typeof OWN_MATCHES)[number];
  /** The site the click came from. */
  readonly site?: string;
  /** What shows that the click was paid for. */
  readonly sign?: string;
  /** From click to order. */
  readonly seconds?: number;
  /** What the rule allows: seconds, orders a day, or percent given back. */
  readonly limit?: number;
  readonly sales?: number;
  readonly given_back?: number;
  /** Who is paid to the same place. */
  readonly other_affiliate_id?: number;
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

export type { FraudEvent } from './record.js';

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
