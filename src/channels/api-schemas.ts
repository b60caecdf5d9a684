import { yesNo } from '../core/dto-schema.js';
import { array, named, object, optional, string } from '../platform/http/schema.js';

/** A field of the registration form. */
export const registrationField = named(
  'RegistrationField',
  object({
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
  }),
);
