import type { Static } from 'typebox';
import {
  array,
  dayFilters,
  filterOf,
  integer,
  deferred,
  listQuery,
  number,
  object,
  oneOf,
  optional,
  rate,
  string,
  Type,
} from '../../platform/http/schema.js';
import { numberOrText, yesNo } from '../../core/dto-schema.js';
import { affiliateStatus, groupRecord } from '../api-schemas.js';
import { GROUP_STATUSES } from './record.js';

/** The service checks the form, since extensions may send fields of their own in it. */
const groupFields = {
  meta_key: optional(
    deferred(string, 'Name, 1 to 192 characters, unique (case-insensitive). Required on create.'),
  ),
  rate_type: optional(deferred(oneOf('percentage', 'flat', 'fixed', 'default'))),
  rate: optional(deferred(rate, '≥ 0 with up to four decimals. A percentage is ≤ 100.')),
  status: optional(deferred(oneOf(...GROUP_STATUSES))),
  notes: optional(deferred(string, 'At most 5,000 characters')),
  enable_subscription_renewal: optional(deferred(yesNo)),
  renewal_rate_type: optional(deferred(oneOf('percentage', 'fixed'))),
  renewal_rate: optional(deferred(rate)),
  max_renewal_count: optional(deferred(numberOrText, '≥ 0. 0 means no limit.')),
  enable_lifetime_commission: optional(deferred(yesNo)),
  lifetime_rate_type: optional(deferred(oneOf('percentage', 'fixed'))),
  lifetime_rate: optional(deferred(rate)),
  lifetime_expiry_days: optional(deferred(numberOrText, '≥ 0. "" means never.')),
  hold_days: optional(
    deferred(numberOrText, 'Days before a commission can be paid, 0 to 365. "" uses the program\'s value.'),
  ),
  renewal_max_months: optional(
    deferred(
      numberOrText,
      'Months after the first sale in which renewals earn a commission, 0 to 1200. "" uses the program\'s value.',
    ),
  ),
};
export const groupForm = Type.Object(groupFields, { additionalProperties: true, demanded: ['meta_key'] });
export const groupPatch = Type.Object(groupFields, { additionalProperties: true });

export const groupList = listQuery(15, { ...dayFilters, status: filterOf(...GROUP_STATUSES) });
export const memberList = listQuery(15, { status: optional(deferred(affiliateStatus)) });

export const EXPORT_COLUMNS = [
  'id',
  'name',
  'status',
  'rate_type',
  'rate',
  'affiliates',
  'clicks',
  'earned',
  'notes',
];
export const groupSaved = object({ message: string, data: groupRecord });
export const groupResponse = object({ group: groupRecord });
const overview = object({
  total_earnings: number,
  paid_amount: number,
  unpaid_amount: number,
  total_affiliate: integer,
});
export type GroupOverview = Static<typeof overview>;
export const overviewResponse = object({ widgets: overview });
const series = array(object({ name: string, data: array(integer) }));
export const chartResponse = object({
  xAxisData: array(string),
  series,
  labels: array(string),
  data: series,
});
