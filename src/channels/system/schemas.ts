import type { Static } from 'typebox';
import { OUTBOX_STATUSES } from '../../program/outbox/types.js';
import {
  array,
  boolean,
  dateTime,
  dayFilters,
  filterWord,
  integer,
  listQuery,
  nullable,
  object,
  oneOf,
  pageOf,
  string,
} from '../../platform/http/schema.js';
import { outboxEntries } from './record.js';
import { progressFields } from '../../program/api-schemas.js';
import { OPERATION_KINDS } from '../../program/operations/types.js';

export const systemState = object({
  schema: object({ step: string, steps: integer }),
  database: string,
  size_bytes: integer,
  risks: array(object({ code: string, severity: oneOf('warning', 'notice'), text: string })),
  jobs: object({
    enabled: boolean,
    list: array(object({ name: string, last_run_at: dateTime, next_run_at: dateTime })),
  }),
  works: array(
    object({
      kind: oneOf(...OPERATION_KINDS),
      payout_id: nullable(integer),
      running: boolean,
      ...progressFields,
      repaired: integer,
    }),
  ),
  outbox: array(object({ channel: string, status: oneOf(...OUTBOX_STATUSES), count: integer })),
});
export type SystemState = Static<typeof systemState>;

const violation = object({
  invariant: string,
  name: string,
  rule: string,
  table: string,
  id: nullable(integer),
  detail: string,
});
export const verified = object({ violations: array(violation), checked_at: dateTime });
export const reconciled = object({ repaired: integer, message: string });
export const resumed = object({ resumed: integer, message: string });

const { id, channel, kind, recipient, answer, ...rest } = outboxEntries.wire;
const entry = object({
  id,
  channel,
  kind,
  recipient,
  /** The name of an affiliate or the address of a webhook; null for others, and for deleted ones. */
  recipient_name: nullable(string),
  ...rest,
  /** The first 500 characters of what the mail server responded; null for others. */
  answer,
});
export type OutboxEntryDto = Static<typeof entry>;
export const outboxQuery = listQuery(20, { ...dayFilters, status: filterWord });
export const outboxPage = object({ entries: pageOf(entry) });
