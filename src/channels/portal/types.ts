import type { SubIds } from '../../core/sub-ids.js';
import type { CreationRange, DayQuery, SubIdQuery } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import type { LedgerKind } from '../../accounting/ledger/types.js';
import type { TransactionStatus } from '../../accounting/payouts/types.js';
import type { ReferralStatus, ReferralType } from '../../accounting/referrals/types.js';

/**
 * Income in the program currency. A visit whose referrals are all in other currencies has 0, but counts as
 * converted.
 */
export interface VisitIncome {
  readonly amount_minor: number;
}

export interface PageQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
}

/** The image of a link: a document or a picture. */
export interface QrQuery {
  readonly format?: unknown;
  readonly url?: unknown;
  readonly size?: unknown;
}

export interface QrImage {
  readonly type: 'image/svg+xml' | 'image/png';
  readonly data: string | Buffer;
}

/** The states of a commission, as the portal names them. */
export const EARNING_STATES = [
  'in_review',
  'on_hold',
  'ready',
  'on_its_way',
  'paid',
  'rejected',
  'cancelled',
] as const;
export type EarningState = (typeof EARNING_STATES)[number];

export interface EarningsFilter {
  /** Narrows the rows to one state of money; null: all. */
  readonly inState: Matching | null;
  /** The word of a canceled commission: `rejected` or `cancelled`; null: either. */
  readonly status: ReferralStatus | null;
  readonly search: string;
  readonly created: CreationRange;
  readonly subIds: SubIdQuery;
  /** SQL for what a canceled commission would have been. */
  readonly wouldHaveBeen: string;
}

/**
 * A commission of the affiliate; amounts are minor units of `currency` (null reads as the program currency).
 */
export interface EarningsRow extends SubIds {
  readonly id: number;
  readonly description: string | null;
  readonly order_number: string | null;
  /** Titles of the order's lines, as its source wrote them. */
  readonly products: readonly string[];
  /** What the affiliate wrote beside it; '' is none. */
  readonly note: string;
  readonly status: ReferralStatus;
  readonly amount_minor: number;
  readonly currency: string | null;
  readonly utm_campaign: string | null;
  readonly type: ReferralType;
  readonly payable_at: number | null;
  readonly reject_reason: string | null;
  readonly payout_transaction_id: number | null;
  readonly created_at: number;
}

/** Number and sum of the commissions that a filter finds in one currency. */
export interface EarningsTotal {
  readonly currency: string | null;
  readonly count: number;
  readonly amount_minor: number;
  readonly would_have_been_minor: number;
}

/** Entries of the ledger that change a commission after it was earned. */
export const CHANGE_KINDS = ['refunded', 'adjusted', 'clawed_back'] as const satisfies readonly LedgerKind[];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A later change of a commission, such as a refund that reduced it. */
export interface EarningChange {
  readonly referral_id: number;
  readonly kind: ChangeKind;
  readonly delta_minor: number;
  readonly at: number;
}

/** The amounts whose hold ends on a day; `day` counts from 1970-01-01 in the site's time zone. */
export interface Release {
  readonly day: number;
  readonly amount_minor: number;
  readonly count: number;
}

/** Epoch ms, both inclusive; null is open. */
export interface StatementRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** One line of the statement: a ledger entry, or all entries of one payment. */
export interface StatementLine {
  /** The newest ledger entry of the line. */
  readonly id: number;
  readonly kind: LedgerKind;
  readonly referral_id: number | null;
  readonly payout_id: number | null;
  readonly transaction_id: number | null;
  readonly reason: string | null;
  readonly delta_minor: number;
  readonly count: number;
  readonly at: number;
}

/** What a person did to a commission, or to the balance. */
export const STATEMENT_CHANGES = ['approved', 'rejected', 'held', 'amount', 'balance'] as const;
export type StatementChange = (typeof STATEMENT_CHANGES)[number];

/** The decision of a person about a commission, as its order keeps it. */
export interface Decision {
  readonly referral_id: number;
  readonly change: StatementChange;
  readonly reason: string | null;
  /** The affiliate may read the reason. */
  readonly isShown: boolean;
  readonly at: number;
}

/** A line with the names and the decision behind it. */
export interface NamedLine extends StatementLine {
  readonly description: string;
  readonly change: StatementChange | null;
  readonly note: { readonly text: string; readonly isShown: boolean } | null;
  /** Its payment was undone. */
  readonly isUndone: boolean;
}

export interface PaymentRow {
  readonly id: number;
  readonly payout_id: number;
  readonly title: string | null;
  readonly status: TransactionStatus;
  readonly payout_method: string;
  readonly currency: string | null;
  readonly amount_minor: number;
  readonly commissions: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** One commission in a payment, with the amount that was paid for it. */
export interface PaidCommission {
  readonly referral_id: number;
  readonly description: string | null;
  readonly order_number: string | null;
  readonly products: readonly string[];
  readonly note: string;
  readonly earned_at: number | null;
  readonly amount_minor: number;
  readonly currency: string;
}

export interface ClickFilter {
  readonly converted: boolean | null;
  /** Null: all; "": clicks without a campaign. */
  readonly campaign: string | null;
  /** Part of an address or of a referrer. */
  readonly search: string;
  readonly created: CreationRange;
  readonly subIds: SubIdQuery;
}

/** Results of one campaign, page or sub id. */
export interface Performance {
  readonly name: string;
  readonly clicks: number;
  readonly orders: number;
  readonly amount_minor: number;
}
