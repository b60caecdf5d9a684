import { PROVIDERS } from './providers.js';
import type { CaptchaAnswer } from './schemas.js';
import { PROVIDER_KEYS, SECRET_NAMES, type CaptchaSettings, type ProviderSettings } from './types.js';

/**
 * Shown instead of a stored secret, which is never sent out. A client that sends it back leaves the secret
 * unchanged.
 */
export const MASK = '__FA_CAPTCHA_SECRET_KEY__';

export const isSecret = (name: string): boolean => (SECRET_NAMES as readonly string[]).includes(name);

/** The settings with masks for secrets, and the providers that have keys. */
export function presentCaptcha(settings: CaptchaSettings): CaptchaAnswer {
  return {
    settings: masked(settings),
    providers: PROVIDER_KEYS.filter((key) => settings.providers[key] !== undefined).map((key) => ({
      key,
      title: PROVIDERS[key].title,
    })),
  };
}

export const masked = (settings: CaptchaSettings): CaptchaSettings => ({
  ...settings,
  providers: Object.fromEntries(
    Object.entries(settings.providers).map(([key, provider]) => [key, withoutSecrets(provider)]),
  ),
});

const withoutSecrets = (provider: ProviderSettings): ProviderSettings =>
  Object.fromEntries(
    Object.entries(provider).map(([name, value]) => [name, value !== '' && isSecret(name) ? MASK : value]),
  );
