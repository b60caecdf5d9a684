import type { ApiKey } from './record.js';

export type { ApiKey } from './record.js';

export interface ApiKeyInput {
  readonly name: string;
  /** `read_all_referrals`, `manage_settings`, …: the words of `KEY_RIGHTS`. */
  readonly rights: readonly string[];
  /** The owner. */
  readonly user_id: number;
  /** The last day it is valid, on the site's calendar, `YYYY-MM-DD`; null or absent: never expires. */
  readonly expires_at?: string | null;
}

export type ApiKeyPatch = Partial<Omit<ApiKeyInput, 'user_id'>>;

/** The response when a key is made: the only time the whole key is shown. */
export interface IssuedApiKey {
  readonly apiKey: ApiKey;
  /** `fak_<8 characters>_<40 characters>` */
  readonly key: string;
}
