import type { Static } from 'typebox';
import {
  boolean,
  flag,
  integer,
  deferred,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from '../../platform/http/schema.js';

export const licenseQuery = object({
  verify: optional(deferred(flag, 'Check with the license provider now')),
});
/** The service checks it, because a missing key and a malformed one are different errors. */
export const licenseBody = object({ license_key: optional(deferred(string)) }, { demanded: ['license_key'] });

const statusWord = oneOf('valid', 'expired', 'disabled', 'invalid', 'error', 'unregistered');
/** What is known of the license; the provider may leave fields out. */
export const licenseData = named(
  'License',
  object({
    status: statusWord,
    license_status: statusWord,
    license_expires: nullable(string),
    is_expired: optional(boolean),
    is_lifetime: optional(boolean),
    in_grace_period: optional(boolean),
    days_remaining: optional(nullable(integer)),
    expires_human: optional(string),
    last_checked_human: optional(string),
    license_key_masked: optional(string),
    customer_name: optional(string),
    customer_email_masked: optional(string),
    product_title: optional(string),
    variation_title: optional(string),
    subscription_status: optional(string),
    message: optional(string),
    error_message: optional(string),
    purchase_url: optional(string),
    renew_url: optional(string),
    manage_url: optional(string),
    account_url: optional(string),
    support_url: optional(string),
  }),
);
export type LicenseDto = Static<typeof licenseData>;
