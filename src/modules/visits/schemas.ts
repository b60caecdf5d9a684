import {
  anyObject,
  anything,
  array,
  dateTime,
  integer,
  listQuery,
  nullable,
  number,
  object,
  optional,
  pageOf,
  string,
} from '../../http/schema.js';

export const visitListQuery = listQuery(10, { convert_status: optional(anything) });

export const visitProperties = {
  id: integer,
  affiliate_id: nullable(integer),
  user_id: nullable(integer),
  referral_id: nullable(integer),
  url: string,
  referrer: nullable(string),
  utm_campaign: nullable(string),
  utm_medium: nullable(string),
  utm_source: nullable(string),
  ip: nullable(string),
  created_at: dateTime,
  updated_at: dateTime,
} as const;

export const visitReferral = object({
  id: integer,
  visit_id: integer,
  status: string,
  amount: number,
  currency: string,
});

/** A row of `GET /visits`. */
export const visitRow = object({
  ...visitProperties,
  affiliate: nullable(anyObject),
  referrals: array(visitReferral),
});

/** A row of `GET /affiliates/{id}/visits`. */
export const affiliateVisitRow = object({ ...visitProperties, referrals: array(visitReferral) });

export const visitPage = object({ visits: pageOf(visitRow) });
export const visitExport = object({ visits: array(anyObject), limited: { type: 'boolean' }, total: integer });
