import type { Static } from 'typebox';
import {
  array,
  boolean,
  exportOf,
  flag,
  Id,
  integer,
  listQuery,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  recordFilters,
  sortedBy,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import {
  customerColumns,
  customerRecord,
  nestedAffiliate,
  referralRecord,
  visitRecord,
} from '../../api-schemas.js';
import { customers } from './record.js';
import { NAME_KINDS } from './types.js';

export const customerQuery = listQuery(20, { ...recordFilters, ...sortedBy(customers) });
const customerWithCount = object({ ...customerColumns, referrals_count: integer });
export type CustomerWithCountDto = Static<typeof customerWithCount>;
const listedCustomer = object({
  ...customerWithCount.properties,
  affiliate: nullable(nestedAffiliate),
});
export type ListedCustomerDto = Static<typeof listedCustomer>;
export const customerPage = object({ customers: pageOf(listedCustomer) });
export const customerTotals = object({
  totals: object({
    count: integer,
    bought: array(object({ currency: string, amount: number, order_total: number })),
  }),
});
export type CustomerTotals = Static<typeof customerTotals>['totals'];
export const EXPORT_COLUMNS = [
  'id',
  'first_name',
  'last_name',
  'email',
  'affiliate_id',
  'affiliate_name',
  'referrals',
  'created_at',
];
export const customerExport = exportOf('customers', EXPORT_COLUMNS);
/** A customer that can be linked to an affiliate, as a choice of a select input. */
const customerChoice = named(
  'CustomerChoice',
  object({
    ...customerColumns,
    value: integer,
    label: string,
    disabled: boolean,
    linked_affiliate_id: nullable(integer),
    linked_affiliate_name: string,
    affiliate: nullable(object({ id: integer, user: object({ full_name: string, user_email: string }) })),
  }),
);
export type CustomerChoiceDto = Static<typeof customerChoice>;
export const customersFound = object({
  customers: array(customerChoice),
  /** The affiliate who would be given one of them. */
  affiliate: nullable(nestedAffiliate),
});
const customerName = object({ kind: oneOf(...NAME_KINDS), name: string, since: string });
export type CustomerNameDto = Static<typeof customerName>;
export const customerPatch = Type.Object({
  email: optional(text(191, 1)),
  first_name: optional(text(191)),
  last_name: optional(text(191)),
  keep_old_email: optional(flag),
});
export const customerMerge = Type.Object({ into: Id });
export const customerApart = Type.Object({ from: Id });
export const customerSaved = object({ customer: customerRecord, message: string });
export const customerView = object({
  customer: customerRecord,
  names: array(customerName),
  /** The customer of whom an order showed that it is probably the same person. */
  same_person: nullable(customerRecord),
  affiliate: nullable(nestedAffiliate),
  referrals: array(referralRecord),
  visits: array(visitRecord),
});
export type CustomerViewDto = Static<typeof customerView>;
