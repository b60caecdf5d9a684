import type { Static } from 'typebox';
import {
  array,
  dateTime,
  integer,
  mapOf,
  nullable,
  object,
  oneOf,
  string,
  text,
} from '../../platform/http/schema.js';
import { CONFIRMED_STEPS, STEPS } from './types.js';

const step = object({
  key: oneOf(...STEPS),
  state: oneOf('done', 'open', 'broken'),
  who: oneOf('manager', 'developer'),
  at: nullable(dateTime),
  facts: mapOf(string),
});
export const guideResponse = object({ steps: array(step), done: integer, total: integer });
export type GuideDto = Static<typeof guideResponse>;

export const confirmBody = object({ step: oneOf(...CONFIRMED_STEPS) });
export const mailOpenedBody = object({ key: text(100, 1) });
export const testOrderResponse = object({
  message: string,
  commission: string,
  currency: string,
  affiliate_id: integer,
});
