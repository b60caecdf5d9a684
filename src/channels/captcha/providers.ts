import type { Keys, ProviderKey, ProviderSettings } from './types.js';

interface Provider {
  readonly title: string;
  /** The address where an answer is checked. */
  readonly verifyUrl: string;
  /** The name of the form field that the provider's widget adds. */
  readonly field: string;
  /** Its keys before any are saved. */
  readonly empty: ProviderSettings;
  readonly keysOf: (settings: ProviderSettings) => Keys;
}

/** The action of an invisible check; an answer made for another action is not accepted. */
export const ACTION = 'affiliate_register';
const THRESHOLD = 0.5;

const NO_KEYS = { site_key: '', secret_key: '', error_message: '' };

const text = (settings: ProviderSettings, name: string): string => String(settings[name] ?? '');
const plainKeys = (settings: ProviderSettings): Keys => ({
  site: text(settings, 'site_key'),
  secret: text(settings, 'secret_key'),
  threshold: null,
});

/** reCAPTCHA settings hold the keys of two versions; these are the keys of the one in use. */
function recaptchaKeys(settings: ProviderSettings): Keys {
  if (settings['version'] !== 'v3_invisible')
    return { site: text(settings, 'v2_site_key'), secret: text(settings, 'v2_secret_key'), threshold: null };
  return {
    site: text(settings, 'v3_site_key'),
    secret: text(settings, 'v3_secret_key'),
    threshold: Number(settings['v3_score_threshold'] ?? THRESHOLD),
  };
}

export const PROVIDERS: Readonly<Record<ProviderKey, Provider>> = {
  recaptcha: {
    title: 'Google reCAPTCHA',
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    field: 'g-recaptcha-response',
    empty: {
      version: 'v2_visible',
      v2_site_key: '',
      v2_secret_key: '',
      v3_site_key: '',
      v3_secret_key: '',
      v3_score_threshold: THRESHOLD,
      error_message: '',
    },
    keysOf: recaptchaKeys,
  },
  hcaptcha: {
    title: 'hCaptcha',
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    field: 'h-captcha-response',
    empty: NO_KEYS,
    keysOf: plainKeys,
  },
  turnstile: {
    title: 'Cloudflare Turnstile',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    field: 'cf-turnstile-response',
    empty: NO_KEYS,
    keysOf: plainKeys,
  },
};
