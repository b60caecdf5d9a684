// The words and shapes that the record of a suspicion is made of.

/**
 * The rules against fraud, in the order they are checked. The same words are reasons of orders that are not
 * credited.
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
  'code_without_click',
] as const;
export type FraudRule = (typeof FRAUD_RULES)[number];

/** `flag`: noted in the referral; `hold`: noted, and a person has to decide; `reject`: no commission. */
export const FRAUD_ACTIONS = ['flag', 'hold', 'reject'] as const;
export type FraudAction = (typeof FRAUD_ACTIONS)[number];
/** How an own purchase was recognized. */
export const OWN_MATCHES = ['user', 'mail', 'extension'] as const;

/** What a rule saw at that time; it contains nothing that identifies the buyer. */
export interface FraudEvidence {
  readonly match?: (typeof OWN_MATCHES)[number];
  /** The site the click came from. */
  readonly site?: string;
  /** The sign that the click was paid for. */
  readonly sign?: string;
  /** Seconds between click and order. */
  readonly seconds?: number;
  /** The limit of the rule: seconds, days, orders a day, or percent refunded. */
  readonly limit?: number;
  readonly sales?: number;
  readonly given_back?: number;
  /** The affiliate who is paid to the same place. */
  readonly other_affiliate_id?: number;
}
