import type { KeyRight } from '../../platform/access/key-rights.js';

/**
 * A key for scripts and servers. It belongs to a user of the host and never allows more than that user may
 * do.
 */
export interface ApiKey {
  readonly id: number;
  /** The public part of the key: 8 letters and digits. */
  readonly key_id: string;
  readonly user_id: number;
  readonly name: string;
  readonly rights: readonly KeyRight[];
  /** The administrator who made it; null for code. */
  readonly created_by: number | null;
  /** Epoch milliseconds; null: never expires. */
  readonly expires_at: number | null;
  /** Epoch milliseconds, to the minute; null: never used. */
  readonly last_used_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

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

/** The answer when a key is made: the only time the whole key is shown. */
export interface IssuedApiKey {
  readonly apiKey: ApiKey;
  /** `fak_<8 characters>_<40 characters>` */
  readonly key: string;
}
