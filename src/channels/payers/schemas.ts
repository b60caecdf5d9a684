import type { Static } from 'typebox';
import {
  array,
  boolean,
  dateTime,
  filterWord,
  Id,
  integer,
  listQuery,
  money,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { PAYMENT_STATES } from '../../accounting/payouts/types.js';
import { BATCH_STATES, DETAILS_STATES, FINDING_KINDS, SEND_LEFT_OUT } from './types.js';

const payerKey = text(50, 1);
export const payoutParams = object({ id: Id });
export const paymentParams = object({ id: Id, payment_id: Id });
export const batchParams = object({ id: Id, batch_id: Id });
export const findingParams = object({ id: Id });
export const payerParams = object({ method: payerKey });

const field = object({ label: string, secret: boolean, required: boolean, choices: array(string) });
const kind = named(
  'Payer',
  object({
    key: string,
    title: string,
    ready: boolean,
    sandbox: boolean,
    makes_files: boolean,
    can_cancel: boolean,
    can_test: boolean,
    currencies: nullable(array(string)),
    fields: Type.Record(Type.String(), field),
    credentials: nullable(object({ shown: Type.Record(Type.String(), string), secrets: array(string) })),
  }),
);
export type KindDto = Static<typeof kind>;
export const payersResponse = object({ payers: array(kind) });

const schedule = object({
  every: oneOf('month', 'week'),
  day: Type.Integer({ minimum: 1, maximum: 28 }),
  cut_off_days: Type.Integer({ minimum: 0, maximum: 90 }),
  method: payerKey,
  auto_send: boolean,
  approval_above: nullable(Type.Number({ minimum: 0 })),
});
const settings = object({
  fee_by: oneOf('program', 'affiliate'),
  offered: array(string),
  schedule: nullable(schedule),
});
export const settingsResponse = object({ settings });
export const settingsSaved = object({ settings, message: string });
export const settingsBody = object({
  fee_by: optional(oneOf('program', 'affiliate')),
  offered: optional(array(payerKey, { maxItems: 20 })),
  schedule: optional(nullable(schedule)),
});
export const credentialsBody = object({
  credentials: Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: 4000 })),
});
export const message = object({ message: string });
const test = object({ ok: boolean, message: string });
export type TestDto = Static<typeof test>;
export const testResponse = test;

export const planQuery = object({ method: optional(text(50)), confirm: optional(boolean) });
const plan = object({
  method: string,
  title: string,
  sandbox: boolean,
  count: integer,
  amount: number,
  currency: string,
  fee_by: oneOf('program', 'affiliate'),
  fees: nullable(number),
  balance: nullable(number),
  enough: nullable(boolean),
  left_out_count: integer,
  left_out: array(
    object({
      transaction_id: integer,
      affiliate_id: nullable(integer),
      affiliate_name: nullable(string),
      amount: number,
      code: oneOf(...SEND_LEFT_OUT),
      reason: nullable(string),
    }),
  ),
});
export type PlanDto = Static<typeof plan>;
export const planResponse = object({ plan });
export const sendBody = object({
  method: payerKey,
  count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  amount: money,
  confirm: optional(boolean),
});
const sent = object({ batches: array(integer), payments_count: integer, message: string });
export type SentDto = Static<typeof sent>;
export const sentResponse = sent;

const attempt = named(
  'PayoutAttempt',
  object({
    id: integer,
    payout_id: integer,
    transaction_id: integer,
    affiliate_id: nullable(integer),
    affiliate_name: nullable(string),
    batch_id: integer,
    try: integer,
    method: string,
    key: string,
    state: oneOf(...PAYMENT_STATES),
    sandbox: boolean,
    amount: number,
    sent_amount: number,
    currency: string,
    fee: nullable(number),
    fee_currency: nullable(string),
    fee_by: oneOf('program', 'affiliate'),
    reference: nullable(string),
    code: nullable(string),
    message: nullable(string),
    payer_at: nullable(dateTime),
    until: nullable(dateTime),
    created_at: dateTime,
    updated_at: dateTime,
  }),
);
export type AttemptDto = Static<typeof attempt>;
const batch = object({
  id: integer,
  method: string,
  key: string,
  state: oneOf(...BATCH_STATES),
  sandbox: boolean,
  reference: nullable(string),
  /** A person carries its file to the bank. */
  makes_file: boolean,
  /** The bank's report on the file can be read. */
  reads_answer: boolean,
  created_at: dateTime,
});
export type BatchDto = Static<typeof batch>;
export const paymentsQuery = listQuery(50, { state: filterWord });
export const paymentsResponse = object({ payments: pageOf(attempt) });
export const paymentResponse = object({ payment: attempt, message: string });
export const overviewResponse = object({
  methods: array(
    object({ method: string, title: string, transactions_count: integer, sends: boolean, sandbox: boolean }),
  ),
  states: array(
    object({
      method: string,
      state: oneOf(...PAYMENT_STATES),
      sandbox: boolean,
      count: integer,
      amount: number,
    }),
  ),
  batches: array(batch),
});
export const settleBody = object({ as: oneOf('paid', 'failed'), note: text(200, 3) });
export const settledResponse = object({ payments_count: integer, message: string });
export const noteBody = object({ note: text(200, 3) });

const finding = object({
  id: integer,
  kind: oneOf(...FINDING_KINDS),
  method: string,
  payout_id: nullable(integer),
  attempt_id: nullable(integer),
  reference: nullable(string),
  amount: nullable(number),
  found_amount: nullable(number),
  currency: nullable(string),
  created_at: dateTime,
});
export type FindingDto = Static<typeof finding>;
export const toDoResponse = object({ payments: array(attempt), findings: array(finding) });
export const reconcileResponse = object({
  result: object({
    matched: integer,
    missing_at_payer: integer,
    unknown_to_us: integer,
    amount_differs: integer,
    not_asked: integer,
  }),
  findings: array(finding),
});
export const bankFileQuery = object({ method: optional(text(50)) });
export const bankFileRead = object({ read_count: integer, open_count: integer, message: string });
export const received = object({ received: boolean });
export const fileResponse = object({});

const ownMethod = object({
  key: string,
  title: string,
  sandbox: boolean,
  offered: boolean,
  chosen: boolean,
  complete: boolean,
  profile_field: nullable(oneOf('payment_email', 'bank_details')),
  state: oneOf(...DETAILS_STATES),
  reason: nullable(string),
  shown: string,
  connects: boolean,
  label: string,
  fields: array(object({ name: string, label: string, required: boolean, choices: array(string) })),
});
export type OwnMethodDto = Static<typeof ownMethod>;
export const ownMethodsResponse = object({ methods: array(ownMethod) });
export const ownMethodsSaved = object({ methods: array(ownMethod), message: string });
export const ownDetailsBody = object({
  details: Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: 500 })),
});
export const chooseBody = object({ method: nullable(payerKey) });
export const connectResponse = object({ url: string });
const ownPayment = object({
  id: integer,
  transaction_id: integer,
  payout_id: integer,
  method: string,
  state: oneOf(...PAYMENT_STATES),
  sandbox: boolean,
  amount: number,
  sent_amount: number,
  currency: string,
  fee: nullable(number),
  fee_currency: nullable(string),
  fee_by: oneOf('program', 'affiliate'),
  message: nullable(string),
  until: nullable(dateTime),
  created_at: dateTime,
});
export type OwnPaymentDto = Static<typeof ownPayment>;
export const ownPaymentsQuery = listQuery(10, {});
export const ownPaymentsResponse = object({ payments: pageOf(ownPayment) });
