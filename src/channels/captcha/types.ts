export const PROVIDER_KEYS = ['recaptcha', 'hcaptcha', 'turnstile'] as const;
/** Longer than the answers of any provider. */
export const ANSWER_MAX = 8192;
export type ProviderKey = (typeof PROVIDER_KEYS)[number];

/** The fields that hold secrets: encrypted when stored, masked in responses. */
export const SECRET_NAMES = ['secret_key', 'v2_secret_key', 'v3_secret_key'] as const;

/** The keys of one provider, as requests and responses name them. */
export type ProviderSettings = Readonly<Record<string, string | number>>;

export interface CaptchaSettings {
  readonly enabled: 'yes' | 'no';
  readonly active_provider: ProviderKey;
  readonly providers: Readonly<Partial<Record<ProviderKey, ProviderSettings>>>;
}

/** The sent settings; absent ones do not change. */
export type CaptchaInput = Partial<CaptchaSettings>;

/** The keys in use. */
export interface Keys {
  readonly site: string;
  readonly secret: string;
  /** The lowest score that passes, for providers that score. */
  readonly threshold: number | null;
}

/** What a page needs to show the check. */
export interface Challenge {
  readonly provider: ProviderKey;
  readonly site_key: string;
  /** There is no box to tick: the answer is fetched when the form is sent. */
  readonly invisible: boolean;
  /** Name of the form field that carries the answer. */
  readonly field: string;
}
