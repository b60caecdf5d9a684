import type { Static } from 'typebox';
import {
  array,
  dateTime,
  filterWord,
  Id,
  integer,
  listQuery,
  nullable,
  object,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { nestedAffiliate } from '../../program/api-schemas.js';

const CODE_MAX = 100;

export const coupon = object({
  provider: string,
  code: string,
  affiliate_id: integer,
  affiliate: nullable(nestedAffiliate),
  created_at: dateTime,
});
export type CouponDto = Static<typeof coupon>;
export const couponChange = object({
  from_affiliate_id: nullable(integer),
  affiliate_id: nullable(integer),
  /** Name of the user who changed it; '' for none. */
  actor: string,
  actor_id: nullable(integer),
  api_key_id: nullable(integer),
  /** Names code, jobs and long operations, where no user made the change. */
  request_id: nullable(string),
  created_at: dateTime,
});
export type CouponChangeDto = Static<typeof couponChange>;

export const couponQuery = listQuery(20, { provider: filterWord, affiliate_id: optional(Id) });
export const newCoupon = Type.Object({
  provider: text(CODE_MAX, 1),
  code: text(CODE_MAX, 1),
  affiliate_id: Id,
});
export const couponParams = Type.Object({ provider: text(CODE_MAX, 1), code: text(CODE_MAX, 1) });
/**
 * `moved_from`: the affiliate that the code belonged to before. `also_in`: other shops in which the code credits
 * the same affiliate.
 */
export const couponBound = object({
  message: string,
  moved_from: nullable(nestedAffiliate),
  also_in: array(string),
});
export const historyQuery = listQuery(20, {});
