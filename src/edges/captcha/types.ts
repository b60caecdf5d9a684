export const PROVIDER_KEYS = ['recaptcha', 'hcaptcha', 'turnstile'] as const;
export type ProviderKey = (typeof PROVIDER_KEYS)[number];

/** Names in which secrets are sent, stored (sealed) and answered (as a mask). */
export const SECRET_NAMES = ['secret_key', 'v2_secret_key', 'v3_secret_key'] as const;

/** Keys of one provider in the words of the wire. */
export type ProviderSettings = Readonly<Record<string, string | number>>;

export interface CaptchaSettings {
  readonly enabled: 'yes' | 'no';
  readonly active_provider: ProviderKey;
  readonly providers: Readonly<Partial<Record<ProviderKey, ProviderSettings>>>;
}

/** What is sent; what is left out stays as it is. */
export type CaptchaInput = Partial<CaptchaSettings>;

/** The keys a provider runs with. */
export interface Keys {
  readonly site: string;
  readonly secret: string;
  /** Lowest score that passes, where the provider scores. */
  readonly threshold: number | null;
}

/** What a page needs to show the check. */
export interface Challenge {
  readonly provider: ProviderKey;
  readonly site_key: string;
  /** No box to tick: the answer is fetched when the form is sent. */
  readonly invisible: boolean;
  /** Name of the form field that carries the answer. */
  readonly field: string;
}
