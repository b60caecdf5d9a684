import type { Static } from 'typebox';
import {
  array,
  boolean,
  flag,
  deferred,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { AFFILIATE_STATUSES } from '../../program/affiliates/types.js';
import { registrationField } from '../api-schemas.js';
import { yesNo } from '../../core/dto-schema.js';
import { affiliateStatus } from '../../program/api-schemas.js';

export const registrationFields = object({
  fields: array(registrationField),
  settings: object({ enabled: yesNo, require_approval: yesNo }),
});
export const savedRegistrationFields = object({
  message: string,
  fields: array(registrationField),
  settings: object({ enabled: yesNo, require_approval: yesNo }),
});

/** A field to be saved; absent keys do not change. */
const fieldInput = deferred(
  Type.Object(
    Object.fromEntries(
      Object.entries(registrationField.properties).map(([name, schema]) => [name, optional(schema)]),
    ),
  ),
);

/** The service checks single fields, since it knows what is stored. */
export const saveFieldsBody = object({
  fields: array(fieldInput, { maxItems: 200 }),
  settings: optional(object({ enabled: optional(flag), require_approval: optional(flag) })),
});

/** The administrator chooses the names of the fields. */
export const signupBody = Type.Object({}, { additionalProperties: true });
export const invitedQuery = object({ key: text(100, 1) });
export const invitedResponse = object({
  email: string,
  /** This address has an account: its owner has to sign in. */
  has_account: boolean,
  rate: nullable(object({ rate: number, rate_type: oneOf('percentage', 'fixed') })),
});
/** An invitation to become a manager. */
export const invitedManagerResponse = object({
  email: string,
  /** This address has an account: its owner has to sign in. */
  has_account: boolean,
  /** Accounts can be made here. */
  supported: boolean,
  permissions: array(string),
});
/** A visitor also sends the fields of an account: `full_name`, `username`, `password`, `conf_password`. */
export const acceptManagerBody = object({
  key: text(100, 1),
  full_name: optional(text(255)),
  username: optional(text(255)),
  password: optional(string),
  conf_password: optional(string),
});
export const acceptedManager = object({ message: string, console_url: string });
export type InvitedManagerDto = Static<typeof invitedManagerResponse>;
export const againBody = object({ reference: text(64, 1) });
export const confirmBody = object({ reference: text(64, 1), code: text(20, 1) });

export const signupForm = object({
  enabled: yesNo,
  supported: yesNo,
  honeypot: string,
  fields: array(registrationField),
  status: optional(affiliateStatus),
  redirect_url: optional(string),
  captcha: optional(
    object({
      provider: oneOf('recaptcha', 'hcaptcha', 'turnstile'),
      site_key: string,
      invisible: boolean,
      field: string,
    }),
  ),
});
export const signupOutcome = object({
  message: string,
  status: oneOf(...AFFILIATE_STATUSES, 'code_sent'),
  success_html: optional(string),
  redirect_url: optional(string),
  reference: optional(string),
  expires_in: optional(number),
  verifcation_html: optional(string),
});
export const signupState = object({
  state: oneOf('guest', 'none', 'pending', 'active', 'inactive'),
  registration: oneOf('open', 'closed', 'unsupported'),
  message: string,
  redirect_url: nullable(string),
});
export type SignupFormDto = Static<typeof signupForm>;
export type InvitedDto = Static<typeof invitedResponse>;
export type SignupOutcomeDto = Static<typeof signupOutcome>;
export type SignupStateDto = Static<typeof signupState>;
