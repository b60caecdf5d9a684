import type { Static, TObject } from 'typebox';
import {
  array,
  boolean,
  flag,
  mapOf,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { ANSWER_MAX, PROVIDER_KEYS, type ProviderSettings } from './types.js';

const key = optional(text(255));
const plainKeys: TObject = object({ site_key: key, secret_key: key, error_message: key });
const recaptchaKeys: TObject = object({
  version: optional(oneOf('v2_visible', 'v3_invisible')),
  v2_site_key: key,
  v2_secret_key: key,
  v3_site_key: key,
  v3_secret_key: key,
  v3_score_threshold: optional(Type.Number({ minimum: 0, maximum: 1 })),
  error_message: key,
});
const provider = oneOf(...PROVIDER_KEYS);

export const settingsOfCaptcha = object({
  enabled: optional(flag),
  active_provider: optional(provider),
  providers: optional(
    object({
      recaptcha: optional(recaptchaKeys),
      hcaptcha: optional(plainKeys),
      turnstile: optional(plainKeys),
    }),
  ),
});
export const captchaBody = object({ settings: optional(settingsOfCaptcha) });

/** `token`: what the provider's widget gave for these keys. Absent keys, and masks, are the stored ones. */
export const captchaTest = object({
  provider: optional(provider),
  settings: optional(settingsOfCaptcha),
  token: text(ANSWER_MAX, 1),
});
export const captchaTested = object({ valid: boolean, message: string });

/** Which keys there are depends on the provider. */
const providerSettings = Type.Unsafe<ProviderSettings>(
  Type.Object(
    { site_key: optional(string), secret_key: optional(string), error_message: optional(string) },
    { additionalProperties: true },
  ),
);

export const captchaResponse = object({
  settings: object({
    enabled: oneOf('yes', 'no'),
    active_provider: provider,
    providers: mapOf(providerSettings),
  }),
  providers: array(object({ key: provider, title: string })),
  /** The provider in use has both keys. */
  validated: boolean,
  message: optional(string),
});
export type CaptchaTested = Static<typeof captchaTested>;
export type CaptchaResponse = Static<typeof captchaResponse>;
