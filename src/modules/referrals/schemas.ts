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
});

export const referralFields = { ...referralColumns, provider_url: string };
const affiliate = nullable(nestedAffiliate);
const payout = object({ id: integer, title: string, status: string, created_at: dateTime });
export const referralView = object({
  ...referralFields,
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
