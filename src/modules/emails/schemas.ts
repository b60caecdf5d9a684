import { anyObject, anything, array, object, optional, string } from '../../http/schema.js';

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
export const configBody = object({ settings: optional(anyObject) });
export const emailBody = object({ email_key: optional(anything), data: optional(anyObject) });
export const allEmailsBody = object({ emails: anything });

export const emailSettings = object({
  active: string,
  subject: string,
  is_default_body: string,
  email_body: string,
});
export const email = object({
  name: string,
  email_key: string,
  title: string,
  description: string,
  recipient: string,
  smartcode_groups: array(string),
  settings: emailSettings,
  default_body: string,
});
export const smartCodeGroup = object({ key: string, title: string, shortcodes: anyObject });
