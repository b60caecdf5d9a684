import {
  anyObject,
  anything,
  array,
  integer,
  listQuery,
  nestedAffiliate,
  nullable,
  object,
  optional,
  pageOf,
  referralOfVisit,
  visitColumns,
} from '../../http/schema.js';

export const visitListQuery = listQuery(10, { convert_status: optional(anything) });

/** A row of `GET /visits`. */
export const visitRow = object({
  ...visitColumns,
  affiliate: nullable(nestedAffiliate),
  referrals: array(referralOfVisit),
});

/** A row of `GET /affiliates/{id}/visits`. */
export const affiliateVisitRow = object({ ...visitColumns, referrals: array(referralOfVisit) });

export const visitPage = object({ visits: pageOf(visitRow) });
export const visitExport = object({ visits: array(anyObject), limited: { type: 'boolean' }, total: integer });
