import type { Static } from 'typebox';
import {
  array,
  deferred,
  deferredMap,
  mapOf,
  named,
  object,
  oneOf,
  optional,
  string,
  text,
} from '../../platform/http/schema.js';
import { yesNo } from '../../core/dto-schema.js';
import { EMAIL_KEYS } from './types.js';

const TEXT_KEYS = [
  'logo',
  'body_bg',
  'content_bg',
  'content_color',
  'footer_content_color',
  'highlight_bg',
  'highlight_color',
  'font_family',
  'template',
  'email_footer',
  'send_from_email',
  'send_from_name',
  'reply_to_email',
  'reply_to_name',
  'disable_powered_by',
  'summary_email_day',
  'admin_email',
] as const;

export const emailConfig = object(Object.fromEntries(TEXT_KEYS.map((key) => [key, string])), {
  additionalProperties: true,
});
/** Values of the settings above. */
export const configBody = object({ settings: optional(deferredMap(mapOf(string))) });

export const emailSettings = object({
  active: yesNo,
  subject: string,
  is_default_body: yesNo,
  email_body: string,
});
const someSettings = object({
  active: optional(yesNo),
  subject: optional(string),
  is_default_body: optional(yesNo),
  email_body: optional(string),
});
const demanded = ['email_key'];
/** A built-in mail, or one of an extension. */
const mailKey = string;
export const emailBody = object(
  {
    email_key: optional(deferred(mailKey, `${EMAIL_KEYS.join(', ')}, or the key of an extension's mail`)),
    data: optional(deferredMap(someSettings)),
  },
  { demanded },
);
/** `to`: an address other than that of the signed-in user. */
export const testBody = object({ ...emailBody.properties, to: optional(text(191)) }, { demanded });
export const mailPreview = object({ to: string, subject: string, html: string, text: string });
export const allEmailsBody = object({
  emails: deferred(array(object({ email_key: mailKey, settings: optional(someSettings) }))),
});
export const email = named(
  'Email',
  object({
    name: string,
    email_key: mailKey,
    title: string,
    description: string,
    recipient: oneOf('admin', 'affiliate'),
    smartcode_groups: array(string),
    settings: emailSettings,
    default_body: string,
    /** Where the settings page shows it. */
    group: oneOf('affiliate', 'admin', 'security'),
    /** `yes`: it cannot be switched off. */
    required: yesNo,
  }),
);
export type EmailDto = Static<typeof email>;
export const smartCodeGroup = object({ key: string, title: string, shortcodes: mapOf(string) });
