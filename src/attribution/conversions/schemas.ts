import type { Static } from 'typebox';
import {
  anyObject,
  array,
  boolean,
  Id,
  deferred,
  deferredMap,
  number,
  dateTime,
  day,
  integer,
  listQuery,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
} from '../../platform/http/schema.js';
import { explainedRules } from '../../accounting/api-schemas.js';
import { SKIP_REASONS as ORDER_REASONS } from './types.js';
import { SKIP_REASONS as CLICK_REASONS } from '../tracking/types.js';

const CLICKED: ReadonlySet<string> = new Set(CLICK_REASONS);
const clickReason = oneOf(...CLICK_REASONS);
const orderReason = oneOf(...ORDER_REASONS);
const skippedOrder = object({
  id: integer,
  provider: string,
  provider_id: string,
  reason: orderReason,
  affiliate_id: nullable(integer),
  created_at: dateTime,
});

export const skippedQuery = listQuery(20, {
  start_date: optional(day),
  end_date: optional(day),
  reason: optional(oneOf(...CLICK_REASONS, ...ORDER_REASONS.filter((reason) => !CLICKED.has(reason)))),
  provider: optional(text(100)),
});
export const skippedResponse = object({
  clicks: array(object({ day: string, reason: clickReason, hits: integer })),
  orders: array(object({ day: string, reason: orderReason, hits: integer })),
  orders_by_reason: array(object({ reason: orderReason, hits: integer })),
  skipped: pageOf(skippedOrder),
  reasons: object({ clicks: array(clickReason), orders: array(orderReason) }),
});
export type SkippedResponse = Static<typeof skippedResponse>;

export const tryBody = object({
  affiliate_id: Id,
  campaign: optional(text(100)),
  order: deferredMap(anyObject),
  set_id: optional(Id),
  rules: optional(
    deferred(array(anyObject), 'Rules to test. Default: the rules of `set_id`, or the active rules.'),
  ),
});
export const tryResponse = object({
  tried: object({ amount: number, currency: string, base: number, rules: explainedRules }),
});

export const giveParams = object({ id: Id, affiliate_id: Id });
export const giveBody = object({ affiliate_id: Id, reason: text(191, 1) });
export const givePreviewResponse = object({
  give: object({
    from_affiliate_id: integer,
    to_affiliate_id: integer,
    currency: string,
    takes_back: number,
    gives: number,
    was_paid: boolean,
    keeps_amount: boolean,
  }),
});
export type GiveDto = Static<typeof givePreviewResponse>['give'];
