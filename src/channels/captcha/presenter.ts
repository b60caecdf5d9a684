import { PROVIDERS } from './providers.js';
import type { CaptchaResponse } from './schemas.js';
import {
  PROVIDER_KEYS,
  SECRET_NAMES,
  type CaptchaSettings,
  type Keys,
  type ProviderSettings,
} from './types.js';

/**
 * Shown instead of a stored secret, which is never sent out. A client that sends it back leaves the secret
 * unchanged.
 */
export const MASK = '__FA_CAPTCHA_SECRET_KEY__';

export const isSecret = (name: string): boolean => (SECRET_NAMES as readonly string[]).includes(name);

/** The settings with masks for secrets, and every provider, with empty keys where none are saved. */
export function presentCaptcha(settings: CaptchaSettings): CaptchaResponse {
  const shown = masked(settings);
  const { site, secret } = keysOf(settings);
  return {
    settings: {
      ...shown,
      providers: Object.fromEntries(
        PROVIDER_KEYS.map((key) => [key, { ...PROVIDERS[key].empty, ...shown.providers[key] }]),
      ),
    },
    providers: PROVIDER_KEYS.map((key) => ({ key, title: PROVIDERS[key].title })),
    validated: site !== '' && secret !== '',
  };
}

/** The keys of the provider in use. */
export const keysOf = ({ active_provider: provider, providers }: CaptchaSettings): Keys =>
  PROVIDERS[provider].keysOf(providers[provider] ?? {});

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
