import {
  affiliateColumns,
  anyObject,
  array,
  boolean,
  day,
  hostUser,
  integer,
  nullable,
  number,
  object,
  optional,
  referralColumns,
  string,
  Type,
  userDetails,
} from '../../http/schema.js';

const csv = optional(Type.Unsafe<unknown>({ description: '`csv` for a file' }));

export const chartQuery = Type.Object({ start_date: optional(day), end_date: optional(day), format: csv });
export const reportQuery = Type.Object({ format: csv });
export const providerParams = Type.Object({ provider: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' }) });

const card = object(
  {
    title: string,
    amount: Type.Unsafe<unknown>({ type: ['number', 'string'] }),
    is_currency: boolean,
    is_number: optional(boolean),
    icon: string,
  },
  { additionalProperties: false },
);
/** Code → name of the figure → amount; only when there are other currencies than the program's. */
const currencies = optional(Type.Record(Type.String(), Type.Record(Type.String(), number)));

/** Without addresses for callers who may not see affiliates. */
const owner = object({ id: integer, user: nullable(object({ full_name: string, photo: string })) });

export const dashboardAnswer = object(
  {
    stats: Type.Record(Type.String(), card),
    recent_referrals: array(object({ ...referralColumns, affiliate: nullable(owner) })),
    top_affiliates: array(
      object({ ...affiliateColumns, user_details: userDetails, user: nullable(hostUser) }),
    ),
    recent_visits: array(anyObject),
    recent_payouts: array(anyObject),
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
export const chartAnswer = object({
  xAxisData: array(string),
  series: array(object({ name: string, data: array(integer) })),
});
export const providersAnswer = object({ providers: Type.Record(Type.String(), object({ title: string })) });
export const reportAnswer = object({
  report: object({
    enabled: boolean,
    title: string,
    widgets: Type.Record(Type.String(), object({ is_money: boolean, label: string, value: number })),
    by_currency: currencies,
  }),
});
