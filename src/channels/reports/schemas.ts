import type { Static } from 'typebox';
import {
  array,
  boolean,
  day,
  integer,
  deferred,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';
import {
  commissionState,
  payoutWithCounts,
  referralColumns,
  visitWithReferrals,
} from '../../accounting/api-schemas.js';
import { card } from '../../platform/http/responses.js';
import { affiliateRecord, balanceList, nestedAffiliate } from '../../program/api-schemas.js';
import { BREAKDOWNS } from './types.js';

const csv = optional(deferred(oneOf('csv', 'json'), '`csv` returns a CSV file'));

export const chartQuery = Type.Object({ start_date: optional(day), end_date: optional(day), format: csv });
export const datesQuery = Type.Object({ start_date: optional(day), end_date: optional(day) });
export const reportQuery = Type.Object({ format: csv });
export const providerParams = Type.Object({ provider: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' }) });

/** Code → name of the figure → amount; only when there are other currencies than the program's. */
const currencies = optional(mapOf(mapOf(number)));

const recentReferral = object({
  ...referralColumns,
  ...commissionState,
  affiliate: nullable(nestedAffiliate),
});
export type RecentReferralDto = Static<typeof recentReferral>;
const recentVisit = object({ ...visitWithReferrals.properties, affiliate: nullable(nestedAffiliate) });
export type RecentVisitDto = Static<typeof recentVisit>;

export const dashboardResponse = object(
  {
    stats: mapOf(card),
    recent_referrals: array(recentReferral),
    top_affiliates: array(affiliateRecord),
    recent_visits: array(recentVisit),
    recent_payouts: array(payoutWithCounts),
    by_currency: currencies,
    notices: array(
      object({
        code: string,
        integration: string,
        count: integer,
        last_at: string,
        message: string,
      }),
    ),
  },
  { additionalProperties: false },
);
export type DashboardDto = Static<typeof dashboardResponse>;
export const balancesResponse = object({ balances: balanceList });
export type BalancesDto = Static<typeof balancesResponse>;
export const providersResponse = object({ providers: mapOf(object({ title: string })) });
export const reportResponse = object({
  report: object({
    enabled: boolean,
    title: string,
    widgets: mapOf(object({ is_money: boolean, label: string, value: number })),
    by_currency: currencies,
  }),
});
export type ReportDto = Static<typeof reportResponse>;
export const earningsResponse = object({
  currency: string,
  labels: array(string),
  earnings: array(number),
  total: number,
  /** The value of the orders they were earned with. */
  order_totals: array(number),
  order_total: number,
});
export const breakdownQuery = Type.Object({
  by: oneOf(...BREAKDOWNS),
  start_date: optional(day),
  end_date: optional(day),
  of: optional(
    Type.String({ maxLength: 191, description: 'Key of a row. The response then contains its days.' }),
  ),
  format: csv,
});
export type BreakdownQuery = Static<typeof breakdownQuery>;
export const breakdownResponse = object({
  currency: string,
  rows: array(
    object({
      key: string,
      name: string,
      clicks: nullable(integer),
      orders: integer,
      order_total: number,
      earnings: number,
    }),
  ),
  course: nullable(
    object({
      labels: array(string),
      earnings: array(number),
      orders: array(integer),
      clicks: nullable(array(integer)),
    }),
  ),
});
export type BreakdownDto = Static<typeof breakdownResponse>;
