import {
  boolean,
  Id,
  deferred,
  nullable,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { referralWithAffiliate } from '../../accounting/api-schemas.js';
import { wireIdOf } from '../../core/dto-schema.js';
import { SKIP_REASONS } from './types.js';

const NAME_MAX = 191;
const name = optional(nullable(text(NAME_MAX)));

// The service checks reference and kind.
const key = {
  provider: text(100, 1),
  reference: deferred(wireIdOf),
  kind: deferred(string, 'A short keyword such as `signup`, `form` or `trial`'),
  account: optional(text(150)),
};
export const leadBody = Type.Object({
  ...key,
  customer: object({
    email: name,
    user_id: optional(nullable(Id)),
    first_name: name,
    last_name: name,
    ip: name,
    ref: name,
  }),
  affiliate: optional(deferred(wireIdOf, "The affiliate's ID, or the tracked value from its links")),
  visit_id: optional(Id),
  coupon: optional(text(100)),
  description: optional(text(255)),
  defer: optional(boolean),
});
export const leadKeyBody = Type.Object(key);
export const leadResponse = object({
  referral: nullable(referralWithAffiliate),
  created: boolean,
  /** Why nothing was credited, or `duplicate`. */
  reason: nullable(oneOf(...SKIP_REASONS)),
  message: string,
});
export const leadChanged = object({
  referral: nullable(referralWithAffiliate),
  changed: boolean,
  /** Why nothing changed. */
  reason: nullable(string),
  message: string,
});
