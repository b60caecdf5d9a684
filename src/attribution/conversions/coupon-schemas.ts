import type { Static } from 'typebox';
import {
  dateTime,
  filterWord,
  Id,
  integer,
  listQuery,
  nullable,
  object,
  optional,
  pageOf,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { nestedAffiliate } from '../../api-schemas.js';

const CODE_MAX = 100;

const coupon = object({
  provider: string,
  code: string,
  affiliate_id: integer,
  affiliate: nullable(nestedAffiliate),
  created_at: dateTime,
});
export type CouponDto = Static<typeof coupon>;
const change = object({
  from_affiliate_id: nullable(integer),
  affiliate_id: nullable(integer),
  actor: string,
  created_at: dateTime,
});
export type CouponChangeDto = Static<typeof change>;

export const couponQuery = listQuery(20, { provider: filterWord, affiliate_id: optional(Id) });
export const couponPage = object({ coupons: pageOf(coupon) });
export const newCoupon = Type.Object({
  provider: text(CODE_MAX, 1),
  code: text(CODE_MAX, 1),
  affiliate_id: Id,
});
export const couponParams = Type.Object({ provider: text(CODE_MAX, 1), code: text(CODE_MAX, 1) });
/** `moved_from`: the affiliate to whom the code belonged before. */
export const couponBound = object({ message: string, moved_from: nullable(nestedAffiliate) });
export const historyQuery = listQuery(20, {});
export const couponHistory = object({ changes: pageOf(change) });
