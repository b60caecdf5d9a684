import { PAYMENT_STATES } from '../../accounting/payouts/types.js';
import { flag, id, line, ref, text, time, timeOrNone, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { BATCH_STATES, DETAILS_STATES, FINDING_KINDS } from './types.js';

/** Payments that are submitted together under one key. */
export const batches = record('payout_batches', {
  id: id(),
  payout_id: id(),
  method: line(),
  batch_key: line(),
  state: word(BATCH_STATES),
  sandbox: flag(),
  ref: text(),
  call_until: timeOrNone(),
  next_at: timeOrNone(),
  calls: id(),
  called_at: timeOrNone(),
  created_at: time(),
});

/** One try to pay one transaction. */
export const attempts = record('payout_attempts', {
  id: id(),
  batch_id: id(),
  payout_id: id(),
  transaction_id: id(),
  affiliate_id: ref(),
  try: id(),
  method: line(),
  attempt_key: line(),
  state: word(PAYMENT_STATES),
  booked: flag(),
  sandbox: flag(),
  amount_minor: id(),
  sent_minor: id(),
  currency: line(),
  fee_minor: ref(),
  fee_currency: text(),
  fee_by: word(['program', 'affiliate']),
  ref: text(),
  code: text(),
  message: text(),
  details_mark: line(),
  sealed: text(),
  payer_at: timeOrNone(),
  until_at: timeOrNone(),
  next_at: timeOrNone(),
  checks: id(),
  created_at: time(),
  updated_at: time(),
});

export const paymentDetails = record('payment_details', {
  affiliate_id: id(),
  method: line(),
  sealed: text(),
  label: line(),
  state: word(DETAILS_STATES),
  reason: text(),
  mark: text(),
  chosen: flag(),
});

export const findings = record('payment_findings', {
  id: id(),
  kind: word(FINDING_KINDS),
  method: line(),
  payout_id: ref(),
  attempt_id: ref(),
  ref: text(),
  amount_minor: ref(),
  found_minor: ref(),
  currency: text(),
  created_at: time(),
});

export type Batch = RecordOf<typeof batches>;
export type Attempt = RecordOf<typeof attempts>;
export type DetailsRow = RecordOf<typeof paymentDetails>;
export type Finding = RecordOf<typeof findings>;
