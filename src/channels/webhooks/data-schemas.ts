import type { TSchema } from 'typebox';
import {
  array,
  boolean,
  dateTime,
  integer,
  money,
  nullable,
  oneOf,
  object,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';
import { fraudEvents } from '../../attribution/fraud/record.js';
import { rewardSet } from '../../attribution/rewards/schemas.js';
import { creativeRecord } from '../../attribution/creatives/schemas.js';
import { siteRecord } from '../connected-sites/schemas.js';
import { ratesOfProgram } from '../../program/settings/schemas.js';
import type { EventObject, EventData } from '../../program/event-log/types.js';
import {
  customerRecord,
  payoutRecord,
  payoutWithCounts,
  referralColumns,
  transactionColumns,
  visitRecord,
} from '../../accounting/api-schemas.js';
import {
  affiliateColumns,
  affiliateSettings,
  groupRecord,
  hostUser,
  userDetails,
} from '../../program/api-schemas.js';

const { payment_email } = affiliateColumns;

// payment details are omitted unless the endpoint asks for them
const columns = {
  ...affiliateColumns,
  payment_email: optional(payment_email),
  settings: object({ ...affiliateSettings.properties, bank_details: optional(string) }),
};
const affiliate = nullable(
  object({ ...columns, user_details: nullable(userDetails), user: nullable(hostUser) }),
);
const refund = object({
  refund_id: nullable(string),
  amount: nullable(money),
  currency: string,
  undone: boolean,
  refunded_at: dateTime,
});
const line = object({ referral_id: integer, amount: money });

/** What `data` of an event holds, by what the event is about. */
export const EVENT_DATA: Readonly<Record<EventObject, TSchema>> = {
  affiliate: object({
    ...columns,
    // only when details of a payout method changed; masked
    payment_details: optional(object({ method: string, label: string })),
    user_details: nullable(userDetails),
    user: nullable(hostUser),
    share_url: string,
  }),
  merge: object({ affiliate_id: integer, merged_id: integer, merged_user_id: nullable(integer) }),
  customer: object({ ...customerRecord.properties, affiliate }),
  customer_merge: object({ customer_id: integer, merged_id: integer }),
  // `due` and `refunds` only when it was refunded
  referral: object({
    ...referralColumns,
    // of an order whose shop is known, else empty
    provider_url: string,
    affiliate,
    due: optional(money),
    refunds: optional(array(refund)),
  }),
  dispute: object({
    provider: string,
    reference: string,
    sub_reference: string,
    dispute_id: string,
    state: oneOf('opened', 'won', 'lost'),
    referral_id: nullable(integer),
    affiliate_id: nullable(integer),
    affiliate,
    at: dateTime,
  }),
  // `undone` only when it was
  payout: object({
    ...payoutWithCounts.properties,
    undone: optional(object({ transactions_count: integer, total_amount: money, left_out_count: integer })),
  }),
  payout_transaction: object({
    ...transactionColumns.properties,
    affiliate,
    payout: nullable(payoutRecord),
    // the first hundred; `lines_count` is the number of all
    lines: array(line),
    lines_count: integer,
  }),
  program: ratesOfProgram,
  reward_rules: rewardSet,
  creative: creativeRecord,
  group: groupRecord,
  visit: visitRecord,
  suspicion: object(fraudEvents.wire),
  site: siteRecord,
  import: object({ migrator: string, finished_at: dateTime }),
  endpoint: object({}),
};

/** `data` of any event. */
export const anyEventData = Type.Unsafe<EventData>({ anyOf: Object.values(EVENT_DATA) });
