import { anything, boolean, integer, nullable, object, optional, string, Type } from '../../http/schema.js';

export const licenseQuery = object({ verify: optional(anything) });
/** The service judges it: a missing key and a malformed one are different errors. */
export const licenseBody = object({ license_key: optional(anything) });

export const licenseData = object(
  {
    status: Type.Unsafe<string>({
      type: 'string',
      enum: ['valid', 'expired', 'disabled', 'invalid', 'error', 'unregistered'],
    }),
    license_status: string,
    license_expires: nullable(string),
    is_expired: optional(boolean),
    is_lifetime: optional(boolean),
    in_grace_period: optional(boolean),
    days_remaining: optional(nullable(integer)),
    license_key_masked: optional(string),
    message: optional(string),
    error_message: optional(string),
    last_checked_human: optional(string),
  },
  { additionalProperties: true },
);
