export type ReferralStatus = 'pending' | 'unpaid' | 'rejected' | 'paid' | 'processing' | 'cancelled';

export const LEDGER_KINDS = [
  'earned',
  'adjusted',
  'refunded',
  'clawed_back',
  'paid',
  'payment_reversed',
  /** Two accounts became one, in books of earlier versions. Today each entry passes on with its own kind. */
  'merged',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A signed correction of what an affiliate is owed. */
export interface BalanceCorrection {
  /** Decimal text or number, or minor units; below 0 takes away. Not 0. */
  readonly amount: string | number | { readonly minor: number };
  /** ISO 4217; the program's currency unless given. */
  readonly currency?: string | null;
  /** A text for people, which the affiliate sees too. 1 to 191 characters. */
  readonly reason: string;
  /** Epoch ms; the present time unless given. Imports use the old date. */
  readonly created_at?: number;
  /** A second correction with this key changes nothing and returns the first one. */
  readonly repeat_key?: string;
}

/**
 * One change of an affiliate's earnings. Deltas are minor units of `currency` (null
 * reads as the program currency).
 */
export interface LedgerPost {
  readonly affiliateId: number;
  readonly kind: LedgerKind;
  readonly currency: string | null;
  readonly totalDelta: number;
  readonly unpaidDelta: number;
  /** Change of the affiliate's referral counter, counted in every status and currency. */
  readonly referralsDelta?: number;
  readonly referralId?: number | null;
  readonly payoutId?: number | null;
  readonly transactionId?: number | null;
  readonly reason?: string | null;
}

export interface LedgerEntry {
  readonly affiliate_id: number;
  readonly referral_id: number | null;
  readonly payout_id: number | null;
  readonly transaction_id: number | null;
  readonly kind: LedgerKind;
  readonly currency: string;
  readonly total_delta_minor: number;
  readonly unpaid_delta_minor: number;
  readonly actor_id: number | null;
  readonly reason: string | null;
  readonly created_at: number;
}

/** The code of a rule that always holds (docs/reliability.md §2). */
export type Invariant = `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18}`;

/** A row that breaks an invariant of the books. */
export interface Finding {
  readonly invariant: Invariant;
  readonly table: string;
  /** Null where the rule is about a whole table. */
  readonly id: number | null;
  /** What is wrong, as a sentence. */
  readonly detail: string;
}

/** A finding with the name and the rule of its invariant. */
export interface Violation extends Finding {
  readonly name: string;
  readonly rule: string;
}

/** The part of a referral that the stored totals count. Amounts are minor units. */
export interface CountedReferral {
  readonly affiliate_id: number | null;
  readonly provider: string | null;
  /** null reads as the program currency. */
  readonly currency: string | null;
  readonly status: ReferralStatus;
  /** Adjustments add their amounts, but they are no orders: the numbers leave them out. */
  readonly type: string;
  readonly amount_minor: number;
  readonly order_total_minor: number | null;
}

/** Stored and counted figures of one affiliate. */
export interface EarningFigures {
  readonly affiliate_id: number;
  readonly total_earnings_minor: number;
  readonly unpaid_earnings_minor: number;
  readonly referrals: number;
  readonly visits: number;
}

export interface Repair {
  /** 0 for referrals and visits of no affiliate. */
  readonly affiliate_id: number;
  /**
   * The figure that was repaired. For `orders`, the id of an order that was settled again; for
   * `referral_totals` and `converted_marks`, the number of wrong rows.
   */
  readonly column:
    | keyof Omit<EarningFigures, 'affiliate_id'>
    | 'ledger_total'
    | 'ledger_unpaid'
    | 'referral_totals'
    | 'converted_marks'
    | 'orders';
  readonly before: number;
  readonly after: number;
}

/** Settles wrong orders after this id; `after` is null when it has looked at all. */
export type SettleOrders = (
  after: number,
) => Promise<{ readonly changed: readonly number[]; readonly after: number | null }>;
