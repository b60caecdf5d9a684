import {
  anyObject,
  anything,
  array,
  boolean,
  dateTime,
  integer,
  listQuery,
  money,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
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
});

const idOrNull = nullable(integer);
const textOrNull = nullable(string);
export const referralFields = {
  id: integer,
  affiliate_id: idOrNull,
  parent_id: idOrNull,
  customer_id: idOrNull,
  visit_id: idOrNull,
  description: textOrNull,
  status: string,
  amount: number,
  order_total: nullable(number),
  currency: textOrNull,
  utm_campaign: textOrNull,
  provider: textOrNull,
  provider_id: anything,
  provider_sub_id: textOrNull,
  products: nullable(array(anything)),
  payout_transaction_id: idOrNull,
  payout_id: idOrNull,
  type: string,
  settings: nullable(anyObject),
  payable_at: dateTime,
  created_at: dateTime,
  updated_at: dateTime,
  provider_url: string,
};
const record = nullable(anyObject);
export const referralRecord = object(referralFields);
export const referralView = object({ ...referralFields, visit: record, payout: record, customer: record });
export const referralPage = object({ referrals: pageOf(object({ ...referralFields, affiliate: record })) });
export const stalePages = listQuery(20, {});
export const stalePage = object({
  referrals: pageOf(
    object({ ...referralFields, affiliate: record, waits_for: oneOf(...WAITS_FOR), days: integer }),
  ),
  older_than_days: integer,
});
export const referralAnswer = object({ referral: referralRecord, message: string });
export const referralExport = object({ referrals: array(anyObject), limited: boolean, total: integer });
export const message = object({ message: string });
