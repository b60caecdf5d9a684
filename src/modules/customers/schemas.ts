import { array, integer, listQuery, nullable, object, pageOf, recordFilters } from '../../http/schema.js';
import {
  customerColumns,
  customerRecord,
  nestedAffiliate,
  referralRecord,
  visitRecord,
} from '../../http/wire-records.js';

export const customerQuery = listQuery(20, recordFilters);
export const customerPage = object({
  customers: pageOf(
    object({ ...customerColumns, referrals_count: integer, affiliate: nullable(nestedAffiliate) }),
  ),
});
export const customerView = object({
  customer: customerRecord,
  affiliate: nullable(nestedAffiliate),
  referrals: array(referralRecord),
  visits: array(visitRecord),
});
