import type { Static, TOptional, TSchema } from 'typebox';
import { LANGUAGES, type Language } from '../../core/localized.js';
import {
  array,
  deferred,
  deferredMap,
  mapOf,
  named,
  nullable,
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

/** One entry for each of `LANGUAGES`. */
const byLanguage = <S extends TSchema>(of: S) =>
  object(
    Object.fromEntries(LANGUAGES.map((language) => [language, optional(of)])) as {
      [L in Language]: TOptional<S>;
    },
  );

const ownText = object({ subject: string, email_body: string });
/** A part of a mail's text in one language; `''` or null: the text for all languages counts. */
const ownTextChange = object({ subject: optional(nullable(string)), email_body: optional(nullable(string)) });

export const emailSettings = object({
  active: yesNo,
  subject: string,
  is_default_body: yesNo,
  email_body: string,
  /** Own texts for readers of one language. */
  texts: optional(byLanguage(ownText)),
});
const someSettings = object({
  active: optional(yesNo),
  subject: optional(string),
  is_default_body: optional(yesNo),
  email_body: optional(string),
  /** By language; the text of a language that is absent does not change, null removes it. */
  texts: optional(byLanguage(nullable(ownTextChange))),
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
/** `language`: that of the reader; default: that of the site. */
export const previewBody = object(
  { ...emailBody.properties, language: optional(deferred(oneOf(...LANGUAGES))) },
  { demanded },
);
/** `to`: an address other than that of the signed-in user. */
export const testBody = object({ ...previewBody.properties, to: optional(text(191)) }, { demanded });
export const mailPreview = object({
  to: string,
  subject: string,
  html: string,
  text: string,
  /** Codes of the draft that are not filled in. */
  unknown_codes: array(string),
});
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
    /** The built-in text in each language. */
    default_texts: mapOf(ownText),
    /** Where the settings page shows it. */
    group: oneOf('affiliate', 'admin', 'security'),
    /** `yes`: it cannot be switched off. */
    required: yesNo,
  }),
);
export type EmailDto = Static<typeof email>;
export const smartCodeGroup = object({ key: string, title: string, shortcodes: mapOf(string) });
