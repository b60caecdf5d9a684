import {
  anyObject,
  anything,
  array,
  boolean,
  customerColumns,
  dateTime,
  integer,
  listQuery,
  money,
  nestedAffiliate,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  referralColumns,
  string,
  text,
  visitColumns,
} from '../../http/schema.js';
import { MANUAL_STATUSES, MANUAL_TYPES, WAITS_FOR } from './types.js';

export const referralListQuery = listQuery(10, { status: optional(anything) });

export const referralCreate = object({
  affiliate_id: anything,
  amount: money,
  status: oneOf(...MANUAL_STATUSES),
  type: oneOf(...MANUAL_TYPES),
  description: optional(nullable(text(255))),
  provider: optional(nullable(text(100))),
  provider_id: optional(anything),
});

// A paid row answers referral_paid whatever was sent, so the service judges the fields (referrals §3.5).
export const referralPatch = object({
  amount: optional(anything),
  status: optional(anything),
  type: optional(anything),
  description: optional(anything),
  /** Why amount or status are changed; kept with an order's commission. */
  reason: optional(nullable(text(191))),
});

export const referralFields = { ...referralColumns, provider_url: string };
const affiliate = nullable(nestedAffiliate);
const payout = object({ id: integer, title: string, status: string, created_at: dateTime });
const explained = object({
  order_id: integer,
  currency: string,
  due: object({
    amount: number,
    status: oneOf('unpaid', 'pending', 'rejected'),
    reason: nullable(string),
  }),
  reasons: array(string),
  steps: array(object({ text: string, amount: number })),
  timeline: array(
    object({ at: dateTime, kind: string, text: string, actor_id: nullable(integer), source: string }),
  ),
  claimed: nullable(number),
  adjustments: array(object({ id: integer, amount: number, status: string })),
  withheld: number,
  terms: anyObject,
});
export const referralView = object({
  ...referralFields,
  /** Why the amount is what it is; null for a referral without an order. */
  order: nullable(explained),
  visit: nullable(object(visitColumns)),
  payout: nullable(payout),
  customer: nullable(object(customerColumns)),
});
export const referralPage = object({ referrals: pageOf(object({ ...referralFields, affiliate })) });
export const stalePages = listQuery(20, {});
export const stalePage = object({
  referrals: pageOf(object({ ...referralFields, affiliate, waits_for: oneOf(...WAITS_FOR), days: integer })),
  older_than_days: integer,
});
export const referralAnswer = object({
  referral: object({ ...referralFields, affiliate }),
  message: string,
});
export const referralExport = object({ referrals: array(anyObject), limited: boolean, total: integer });
export const message = object({ message: string });
