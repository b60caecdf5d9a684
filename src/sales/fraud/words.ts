// The words and shapes that the record of a suspicion is made of.

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
