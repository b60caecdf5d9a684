// The words and shapes that the record of a referral is made of.

import type { ReferralStatus } from '../ledger/types.js';

/**
 * `adjustment`: a correction of the balance; with `parent_id`, it takes back a part of that paid commission.
 * `bonus`: the reward of a goal.
 */
export const TYPES = [
  'sale',
  'opt_in',
  'payment',
  'recurring_sale',
  'lifetime_sale',
  'lead',
  'bonus',
  'adjustment',
] as const;
export type ReferralType = (typeof TYPES)[number];

export const STATUSES = [
  'paid',
  'unpaid',
  'pending',
  'rejected',
  'cancelled',
  'processing',
] as const satisfies readonly ReferralStatus[];
/** Statuses that affiliates do not see (docs/interface.md §11.2). */
export const HIDDEN_STATUSES = ['pending', 'processing'] as const satisfies readonly ReferralStatus[];
/** Statuses that a request may set. */
export const MANUAL_STATUSES = ['unpaid', 'rejected', 'pending'] as const satisfies readonly ReferralStatus[];
export const MANUAL_TYPES = ['sale', 'opt_in'] as const satisfies readonly ReferralType[];

/** Why a commission ended that a person gave to another affiliate with its order. */
export const GIVEN_AWAY = 'given_away';

/** A line of an order as the shop sent it, with fields such as `item_id`, `title` and `total`. */
export type Product = Readonly<Record<string, unknown>>;
/** Provider data, the original order and the explanation of the amount. */
export type ReferralSettings = Readonly<Record<string, unknown>>;

/** The steps that explain the amount of a commission. */
export const STEP_KINDS = [
  'given',
  'items',
  'rate',
  'capped',
  'refunded',
  'converted',
  'corrected',
  'refunded_since',
  'due',
  'nothing_due',
  'waits',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** What a line of an order's timeline is about: a fact, the order itself, or a payout. */
export const TIMELINE_KINDS = [
  'payment',
  'content',
  'refund',
  'refund_list',
  'dispute',
  'judgement',
  'correction',
  'moved',
  'flag',
  'deleted',
  'order',
  'claim',
  'release',
] as const;
