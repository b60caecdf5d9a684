import { Type } from 'typebox';
import { anyObject, anything, array, dateTime, day, integer, listQuery, number, object, optional, pageOf, string } from '../../http/schema.js';

/** The form is judged by the service, since extensions may send fields of their own in it. */
export const groupForm = Type.Object({
  meta_key: optional(anything), rate_type: optional(anything), rate: optional(anything), status: optional(anything), notes: optional(anything),
  enable_subscription_renewal: optional(anything), renewal_rate_type: optional(anything), renewal_rate: optional(anything), max_renewal_count: optional(anything),
  enable_lifetime_commission: optional(anything), lifetime_rate_type: optional(anything), lifetime_rate: optional(anything), lifetime_expiry_days: optional(anything),
}, { additionalProperties: true });

export const groupList = listQuery(15, { status: optional(anything) });
export const memberList = listQuery(15, { status: optional(anything) });
export const chartDates = Type.Object({ start_date: optional(day), end_date: optional(day) });

export const groupRecord = object({
  id: integer, meta_key: string, name: string, rate_type: string, rate: number, status: string, notes: string, description: string,
  value: anyObject, affiliates_count: integer, visits_count: integer, total_earnings: number, object_type: string, object_id: integer,
  created_at: dateTime, updated_at: dateTime,
});
export const groupPage = object({ groups: pageOf(groupRecord) });
export const groupSaved = object({ message: string, data: groupRecord });
export const groupAnswer = object({ group: groupRecord });
export const message = object({ message: string });
export const memberPage = object({ affiliates: pageOf(anyObject) });
export const overviewAnswer = object({
  widgets: object({ total_earnings: number, paid_amount: number, unpaid_amount: number, total_affiliate: integer }),
});
const series = array(object({ name: string, data: array(integer) }));
export const chartAnswer = object({ xAxisData: array(string), series, labels: array(string), data: series });
