import {
  array,
  customerColumns,
  integer,
  listQuery,
  nestedAffiliate,
  nullable,
  object,
  pageOf,
  referralColumns,
  string,
  visitColumns,
} from '../../http/schema.js';

export const customerQuery = listQuery(20, {});
export const customerPage = object({
  customers: pageOf(
    object({ ...customerColumns, referrals_count: integer, affiliate: nullable(nestedAffiliate) }),
  ),
});
export const customerView = object({
  customer: object(customerColumns),
  affiliate: nullable(nestedAffiliate),
  referrals: array(object(referralColumns)),
  visits: array(object(visitColumns)),
});
export const message = object({ message: string });
