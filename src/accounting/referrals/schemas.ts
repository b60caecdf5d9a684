import type { Static } from 'typebox';
import { SUB_IDS } from '../../core/sub-ids.js';
import {
  array,
  boolean,
  dateTime,
  formOf,
  Id,
  integer,
  deferred,
  filterWord,
  listQuery,
  mapOf,
  money,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  recordFilters,
  sortedBy,
  string,
  subIdFilters,
  text,
  Type,
} from '../../platform/http/schema.js';
import {
  commissionState,
  customerRecord,
  payoutStatus,
  referralRecord,
  referralStatus,
  referralWithAffiliate,
  referralWithUrl,
  visitRecord,
  explainedRules,
} from '../api-schemas.js';
import { numberOrText, wireIdOf } from '../../core/dto-schema.js';
import { referrals } from './record.js';
import { STEP_KINDS, TIMELINE_KINDS, WAITS_FOR } from './types.js';

export const referralListQuery = listQuery(10, {
  ...recordFilters,
  ...subIdFilters,
  ...sortedBy(referrals),
  status: optional(deferred(referralStatus, 'One value or a list')),
  state: optional(deferred(commissionState.state, "State of the commission's payment: one value or a list")),
});

export const referralTotals = array(
  object({ currency: string, count: integer, amount: number, counted_amount: number, order_total: number }),
);
export type ReferralTotal = Static<typeof referralTotals>[number];

/** Checked by the service: which rules apply depends on the stored row and on the currency. */
const form = formOf(referrals.form);
export const referralCreate = object({
  ...form,
  affiliate_id: deferred(Id),
  amount: deferred(referrals.form.amount.schema),
  status: deferred(referrals.form.status.schema),
  type: deferred(referrals.form.type.schema),
});

// For a paid row the response is always referral_paid (docs/interface.md §7.3).
export const referralPatch = object({
  amount: form.amount,
  status: form.status,
  type: form.type,
  description: form.description,
  /** Why amount or status are changed; stored with an order's commission. */
  reason: optional(nullable(text(191))),
  /** `true`: the affiliate reads the reason of a rejection in the portal. */
  show_reason: optional(boolean),
});

// Checked by the service, like `service.conversions.refund`.
const amount = optional(deferred(nullable(money)));
const refundedItem = object({ item_id: wireIdOf, net: money, tax: optional(money) });
export const referralRefund = object({
  refunded_total: amount,
  refunded_base: amount,
  refund_id: optional(text(150)),
  amount,
  items: optional(deferred(array(refundedItem))),
  shipping: amount,
  shipping_tax: amount,
  currency: optional(text(3)),
  undone: optional(boolean),
});

const payout = object({ id: integer, title: string, status: payoutStatus, created_at: dateTime });
export type PayoutOfReferralDto = Static<typeof payout>;
const orderTerms = object({
  amount_minor: integer,
  base_minor: integer,
  basis_minor: integer,
  grand_total_minor: integer,
  flat_minor: integer,
  flat_rule: oneOf('prorate', 'keep'),
  counts: object({ before_discount: boolean, tax: boolean, shipping: boolean }),
  lines: array(object({ id: string, net: integer, before: integer, tax: integer, commissionable: boolean })),
  reasons: array(string),
  level: nullable(string),
  rule: nullable(string),
  rate: nullable(string),
  exchange: nullable(object({ from: string, rate: string })),
  capped_from_minor: nullable(integer),
});
const explained = object({
  order_id: integer,
  currency: string,
  due: object({
    amount: number,
    status: oneOf('unpaid', 'pending', 'rejected'),
    reason: nullable(string),
  }),
  reasons: array(string),
  steps: array(
    object({
      kind: oneOf(...STEP_KINDS),
      values: mapOf(string),
      causes: array(string),
      text: string,
      amount: number,
    }),
  ),
  timeline: array(
    object({
      at: dateTime,
      kind: oneOf(...TIMELINE_KINDS),
      values: mapOf(string),
      text: string,
      actor_id: nullable(integer),
      actor: nullable(string),
      source: string,
    }),
  ),
  claimed: nullable(number),
  adjustments: array(object({ id: integer, amount: number, status: referralStatus })),
  withheld: number,
  terms: orderTerms,
});
export type OrderDto = Static<typeof explained>;
export const referralView = named(
  'ReferralDetails',
  object({
    ...referralWithUrl.properties,
    /** How the amount came about; null for a referral without an order. */
    order: nullable(explained),
    /** The rules and rates that counted; null for a referral whose order has no facts. */
    rules: nullable(explainedRules),
    visit: nullable(visitRecord),
    payout: nullable(payout),
    customer: nullable(customerRecord),
  }),
);
export type ReferralDetailsDto = Static<typeof referralView>;
export const stalePages = listQuery(20, recordFilters);
const staleReferral = object({
  ...referralWithAffiliate.properties,
  waits_for: oneOf(...WAITS_FOR),
  days: integer,
});
export type StaleReferralDto = Static<typeof staleReferral>;
export const stalePage = object({
  referrals: pageOf(staleReferral),
  older_than_days: integer,
});
export const referralResponse = object({
  referral: referralWithAffiliate,
  message: string,
});
export const referralRefunded = object({
  referral: referralWithAffiliate,
  changed: boolean,
  /** Why the amount owed did not change. */
  reason: nullable(string),
  message: string,
});
export const EXPORT_COLUMNS = [
  'id',
  'affiliate_name',
  'affiliate_email',
  'amount',
  'order_total',
  'currency',
  'description',
  'provider',
  'provider_id',
  'type',
  'status',
  'created_at',
  'affiliate_id',
  'parent_id',
  'provider_sub_id',
  'utm_campaign',
  'state',
  'counted_amount',
  'would_have_been',
  ...SUB_IDS,
];

// The referrals of one affiliate.
export const referralListOfAffiliate = listQuery(10, {
  ...recordFilters,
  status: filterWord,
  state: filterWord,
});
export const balanceCorrection = Type.Object({
  amount: deferred(numberOrText, "Positive or negative amount in the program's currency"),
  currency: optional(nullable(text(3))),
  reason: text(191, 1),
});
export const balanceCorrected = object({ referral: referralRecord, message: string });
