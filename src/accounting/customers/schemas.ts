import type { Static } from 'typebox';
import {
  array,
  boolean,
  deferred,
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
import { customerColumns, customerRecord, referralRecord, visitRecord } from '../api-schemas.js';
import { nestedAffiliate } from '../../program/api-schemas.js';
import { numberOrBlank } from '../../core/dto-schema.js';
import { customers } from './record.js';
import { NAME_KINDS } from './types.js';

export const customerQuery = listQuery(20, { ...recordFilters, ...sortedBy(customers) });
const customerWithCount = object({ ...customerColumns, referrals_count: integer });
export type CustomerWithCountDto = Static<typeof customerWithCount>;
export const listedCustomer = object({
  ...customerWithCount.properties,
  affiliate: nullable(nestedAffiliate),
});
export type ListedCustomerDto = Static<typeof listedCustomer>;
export const customerTotals = object({
  count: integer,
  bought: array(object({ currency: string, amount: number, order_total: number })),
});
export type CustomerTotals = Static<typeof customerTotals>;
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

// The customers of one affiliate.
export const customerListOfAffiliate = listQuery(10, {
  ...recordFilters,
  filter: optional(
    deferred(
      oneOf('all', 'active', 'expired'),
      'Whether the link between customer and affiliate has expired',
    ),
  ),
});
export const customersOfAffiliate = object({
  customers: pageOf(customerWithCount),
  lifetime_expiry_days: numberOrBlank,
  affiliate: nullable(nestedAffiliate),
});
export const customerSearch = Type.Object({ search: optional(text(200)) });
export const customerLink = Type.Object({ customer_id: Id, transfer: optional(flag) });
export const customerLinked = object({ customer: customerRecord, message: string });
export const customerParams = Type.Object({ id: Id, customer_id: Id });
