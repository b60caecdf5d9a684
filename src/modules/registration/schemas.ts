import type { TUnsafe } from 'typebox';
import {
  array,
  flag,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../http/schema.js';

const yesNo = Type.Unsafe<'yes' | 'no'>({ type: 'string', enum: ['yes', 'no'] });

const field = object({
  name: string,
  type: string,
  label: string,
  placeholder: string,
  help_text: string,
  required: yesNo,
  enabled: yesNo,
  readonly: yesNo,
  value: string,
  system_defined: yesNo,
  disable_alter: yesNo,
  public_only: yesNo,
  is_hidden: yesNo,
  custom: yesNo,
  options: optional(array(string)),
  html: optional(string),
  inline_label: optional(string),
});

export const registrationFields = object({
  fields: array(field),
  settings: object({ enabled: yesNo, require_approval: yesNo }),
});
export const savedRegistrationFields = object({
  message: string,
  fields: array(field),
  settings: object({ enabled: yesNo, require_approval: yesNo }),
});

const list: TUnsafe<unknown[]> = Type.Unsafe<unknown[]>({ type: 'array', maxItems: 200 });

/** Single fields are judged by the service, which knows what is stored. */
export const saveFieldsBody = object({
  fields: list,
  settings: optional(object({ enabled: optional(flag), require_approval: optional(flag) })),
});

/** The names of a form's fields are the administrator's. */
export const signupBody = Type.Object({}, { additionalProperties: true });
export const confirmBody = object({ reference: text(64, 1), code: text(20, 1) });

export const signupForm = object({
  enabled: yesNo,
  supported: yesNo,
  honeypot: string,
  fields: array(field),
  status: optional(string),
  redirect_url: optional(string),
});
export const signupOutcome = object({
  message: string,
  status: string,
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
