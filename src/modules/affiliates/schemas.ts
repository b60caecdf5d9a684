import type { TOptional, TUnsafe } from 'typebox';
import {
  affiliateColumns,
  anyObject,
  anything,
  array,
  boolean,
  customerColumns,
  day,
  filterWord,
  flag,
  hostUser,
  Id,
  integer,
  listQuery,
  nullable,
  number,
  object,
  optional,
  pageOf,
  rateDetails,
  referralColumns,
  referralOfVisit,
  string,
  text,
  Type,
  userDetails,
  visitColumns,
} from '../../http/schema.js';

const told = (description: string): TOptional<TUnsafe<unknown>> =>
  optional(Type.Unsafe<unknown>({ description }));

/** Writes are judged by the service: which rules hold depends on other fields, on the stored row and on the payout method. */
const form = {
  status: told('pending, active or inactive'),
  rate_type: told('default, group, flat or percentage'),
  rate: told('≥ 0, at most four decimals; needed for flat and percentage (≤ 100), ignored otherwise'),
  group_id: told('Id of a group; 0, "" or null for none'),
  payment_email: told('E-mail; used unless affiliates are paid by bank transfer'),
  bank_details: told('At most 5,000 characters; used when affiliates are paid by bank transfer'),
  note: told('At most 10,000 characters'),
  custom_param: told(
    'Value of the links in place of the id: 2 to 100 of a-z, 0-9, - and _, not digits alone, of nobody else; null or "" for none. Earlier values go on crediting the affiliate',
  ),
};
export const affiliateForm = Type.Object({
  user_id: told('Id of a host user that is no affiliate yet'),
  ...form,
});
export const affiliatePatch = Type.Object(form);
export const statusBody = Type.Object({ status: form.status });

export const affiliateList = listQuery(20, { status: optional(anything), filters: optional(anything) });
export const nestedList = listQuery(10, { status: filterWord });
export const customerList = listQuery(10, { filter: optional(anything) });
export const chartDates = Type.Object({ start_date: optional(day), end_date: optional(day) });

const lifetimeDays = Type.Unsafe<unknown>({ anyOf: [integer, { type: 'string' }] });
const money = number;
const rowKeys = {
  ...affiliateColumns,
  user_details: userDetails,
  user: nullable(hostUser),
  bank_details: string,
  rate_details: rateDetails,
  group: nullable(anyObject),
};
export const affiliateRecord = object(rowKeys);
export const affiliatePage = object({ affiliates: pageOf(affiliateRecord) });
export const affiliateSaved = object({ message: string, affiliate: affiliateRecord });
export const affiliateView = object({
  affiliate: object({
    ...rowKeys,
    widgets: array(anyObject),
    attached_coupons: array(anyObject),
    share_url: string,
    custom_field_details: array(anyObject),
  }),
});
export const message = object({ message: string });

export const affiliateExport = object({
  affiliates: array(
    object({
      id: integer,
      full_name: string,
      email: string,
      payment_email: nullable(string),
      rate_type: string,
      rate: nullable(number),
      status: string,
      total_earnings: money,
      unpaid_earnings: money,
      referrals: integer,
      visits: integer,
      created_at: string,
      login: string,
      group: nullable(string),
      custom_param: nullable(string),
    }),
  ),
  limited: boolean,
  total: integer,
});
export const referralPage = object({
  referrals: pageOf(object({ ...referralColumns, provider_url: string })),
});
export const visitPage = object({
  visits: pageOf(object({ ...visitColumns, referrals: array(referralOfVisit) })),
});
export const transactionPage = object({ transactions: pageOf(anyObject) });
export const customerPage = object({
  customers: pageOf(object({ ...customerColumns, referrals_count: integer })),
  lifetime_expiry_days: lifetimeDays,
});
export const customerSearch = Type.Object({ search: optional(text(200)) });
export const customersFound = object({ customers: array(object(customerColumns)) });
export const customerLink = Type.Object({ customer_id: Id, transfer: optional(flag) });
export const customerLinked = object({ customer: object(customerColumns), message: string });
export const customerParams = Type.Object({ id: Id, customer_id: Id });
export const balanceCorrection = Type.Object({
  amount: anything, // may be below 0; judged in its currency by the service
  currency: optional(nullable(text(3))),
  reason: text(191, 1),
});
export const balanceCorrected = object({ referral: object(referralColumns), message: string });
export const statsAnswer = object({
  stats: Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: object({
      title: string,
      amount: Type.Unsafe<unknown>({ type: ['number', 'string'] }),
      is_currency: boolean,
      is_number: optional(boolean),
      icon: string,
    }),
  }),
});
export const chartAnswer = object({
  xAxisData: array(string),
  series: array(object({ name: string, data: array(integer) })),
});
