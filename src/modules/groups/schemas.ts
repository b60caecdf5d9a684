import type { TOptional, TUnsafe } from 'typebox';
import {
  anyObject,
  anything,
  array,
  dateTime,
  day,
  filterWord,
  integer,
  listQuery,
  number,
  object,
  optional,
  pageOf,
  string,
  Type,
} from '../../http/schema.js';

const told = (description: string): TOptional<TUnsafe<unknown>> =>
  optional(Type.Unsafe<unknown>({ description }));

/** The form is judged by the service, since extensions may send fields of their own in it. */
export const groupForm = Type.Object(
  {
    meta_key: told('Name, 1 to 192 characters, unique without regard to case; required on create'),
    rate_type: told('percentage, flat (or fixed) or default'),
    rate: told('≥ 0, at most four decimals; percentage ≤ 100'),
    status: told('active or inactive'),
    notes: told('At most 5,000 characters'),
    enable_subscription_renewal: told('yes or no'),
    renewal_rate_type: told('percentage or fixed'),
    renewal_rate: told('Like rate'),
    max_renewal_count: told('≥ 0; 0 means no limit'),
    enable_lifetime_commission: told('yes or no'),
    lifetime_rate_type: told('percentage or fixed'),
    lifetime_rate: told('Like rate'),
    lifetime_expiry_days: told('≥ 0, or "" for never'),
    hold_days: told('0 to 365 days before a commission can be paid, or "" for the program\'s'),
    renewal_max_months: told(
      '0 to 1200 months after the first sale in which renewals earn, or "" for the program\'s',
    ),
  },
  { additionalProperties: true },
);

export const groupList = listQuery(15, { status: filterWord });
export const memberList = listQuery(15, { status: optional(anything) });
export const chartDates = Type.Object({ start_date: optional(day), end_date: optional(day) });

export const groupRecord = object({
  id: integer,
  meta_key: string,
  name: string,
  rate_type: string,
  rate: number,
  status: string,
  notes: string,
  description: string,
  value: anyObject,
  affiliates_count: integer,
  visits_count: integer,
  total_earnings: number,
  object_type: string,
  object_id: integer,
  created_at: dateTime,
  updated_at: dateTime,
});
export const groupPage = object({ groups: pageOf(groupRecord) });
export const groupSaved = object({ message: string, data: groupRecord });
export const groupAnswer = object({ group: groupRecord });
export const message = object({ message: string });
export const memberPage = object({ affiliates: pageOf(anyObject) });
export const overviewAnswer = object({
  widgets: object({
    total_earnings: number,
    paid_amount: number,
    unpaid_amount: number,
    total_affiliate: integer,
  }),
});
const series = array(object({ name: string, data: array(integer) }));
export const chartAnswer = object({ xAxisData: array(string), series, labels: array(string), data: series });
