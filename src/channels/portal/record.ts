import { string } from '../../core/dto-schema.js';
import { amount, id, shown, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { STATUSES, TYPES } from '../../accounting/referrals/types.js';

// The columns of their own rows that affiliates see; only these are read.

export const clicks = record('visits', {
  id: id(),
  url: shown(text(), string, (url) => url ?? ''),
  referrer: text(),
  utm_campaign: text(),
  utm_medium: text(),
  utm_source: text(),
  sub1: text(),
  sub2: text(),
  sub3: text(),
  sub4: text(),
  sub5: text(),
  created_at: time(),
});

export const commissions = record('referrals', {
  description: text(),
  status: word(STATUSES),
  amount_minor: amount(),
  currency: text(),
  utm_campaign: text(),
  sub1: text(),
  sub2: text(),
  sub3: text(),
  sub4: text(),
  sub5: text(),
  type: word(TYPES),
  created_at: time(),
  updated_at: time(),
});

export type PortalClick = RecordOf<typeof clicks>;
export type PortalCommission = RecordOf<typeof commissions>;
