import type { TSchema } from 'typebox';
import {
  dateTime,
  integer,
  money,
  nullable,
  object,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';
import { fraudEvents } from '../../sales/fraud/record.js';
import { creativeRecord } from '../../sales/creatives/schemas.js';
import { siteRecord } from '../connected-sites/schemas.js';
import type { EventObject, Wire } from '../../program/event-log/types.js';
import {
  affiliateColumns,
  affiliateSettings,
  customerRecord,
  groupRecord,
  payoutRecord,
  referralColumns,
  transactionColumns,
  visitRecord,
} from '../../wire-records.js';

const { payment_email } = affiliateColumns;

/** What `data` of an event holds, by what the event is about. */
export const EVENT_DATA: Readonly<Record<EventObject, TSchema>> = {
  // payment details are left out unless the endpoint asks for them
  affiliate: object({
    ...affiliateColumns,
    payment_email: optional(payment_email),
    settings: object({ ...affiliateSettings.properties, bank_details: optional(string) }),
  }),
  merge: object({ affiliate_id: integer, merged_id: integer, merged_user_id: nullable(integer) }),
  customer: customerRecord,
  // `due` only when it was refunded
  referral: object({ ...referralColumns, due: optional(money) }),
  payout: payoutRecord,
  payout_transaction: transactionColumns,
  creative: creativeRecord,
  group: groupRecord,
  visit: visitRecord,
  suspicion: object(fraudEvents.wire),
  site: siteRecord,
  import: object({ migrator: string, finished_at: dateTime }),
  endpoint: object({}),
};

/** `data` of any event. */
export const anyEventData = Type.Unsafe<Wire>({ anyOf: Object.values(EVENT_DATA) });
