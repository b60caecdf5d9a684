import { anyObject, array, string } from '../../core/dto-schema.js';
import {
  amount,
  amountOrNone,
  id,
  json,
  jsonOr,
  line,
  ref,
  text,
  time,
  timeOrNone,
  wordOrNone,
} from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import {
  DUE_STATUSES,
  REJECT_REASONS,
  type CommissionDraft,
  type FactData,
  type LatestClick,
  type OpenReason,
  type OrderTerms,
} from './words.js';

/** An order, from any source. */
export const orders = record('orders', {
  id: id(),
  order_key: line(),
  provider: line(),
  /** The shop within the provider; '' when the provider has only one. */
  account: line(),
  reference: line(),
  sub_reference: line(),
  subscription_id: text(),
  currency: line(),
  /** Null when nothing was credited, or only the affiliate is known. */
  terms: json<OrderTerms>(),
  /** The commission to book once the order earns; null when it is booked, or never will be. */
  draft: json<CommissionDraft>(),
  customer_id: ref(),
  affiliate_id: ref(),
  visit_id: ref(),
  /** Null when the affiliate was not found by a click. */
  click: json<LatestClick>(),
  referral_id: ref(),
  /**
   * The order whose open reasons also apply to this one: the first payment of a subscription, or a customer's
   * first order.
   */
  first_order_id: ref(),
  source: text(),
  /** The result of recording it: `recorded`, `awaits_money`, or why nothing was credited. */
  decision: text(),
  total_minor: amountOrNone(),
  /** What was due when it was last settled. */
  due_minor: amountOrNone(),
  /** What it comes to before refunds, by the content that counts; null when it was last settled before 029. */
  full_minor: amountOrNone(),
  due_status: wordOrNone(DUE_STATUSES),
  reject_reason: wordOrNone(REJECT_REASONS),
  reasons: jsonOr<readonly OpenReason[]>([], array(string)),
  /** `reasons` with what each is about, as `reason name`; orders that follow this one share them. */
  open_causes: jsonOr<readonly string[]>([], array(string)),
  /** What was paid but is no longer due, and is not taken back because option `clawback` was `off`. */
  withheld_minor: amount(),
  /** The key of the reward rule whose caps count this order. */
  reward_rule: text(),
  /** A hash of the order's facts; '' before the first one (I16). */
  facts_seal: line(),
  deleted_at: timeOrNone(),
  created_at: time(),
  updated_at: time(),
});

/** Everything that was reported of an order, in the order it arrived. */
export const orderFacts = record('order_facts', {
  id: id(),
  order_id: id(),
  /** The same fact always has the same key, so a repeat is not stored again. */
  fact_key: line(),
  /** The kind of `data`, for queries. */
  kind: line(),
  at: time(),
  data: jsonOr<FactData>({ kind: 'flag', word: 'unreadable' }, anyObject),
  actor_id: ref(),
  source: line(),
  created_at: time(),
});

export type Order = RecordOf<typeof orders>;
export type NewOrder = Omit<Order, 'id' | 'order_key' | 'created_at' | 'updated_at'>;
