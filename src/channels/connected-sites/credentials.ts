import { randomBytes } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.js';
import { sameBytes } from '../../core/constant-time.js';

const PURPOSE = 'connected-site';
const PLAIN = 'k1:';
const SEALED = 's1:';
const KEY_BYTES = 32;
/** No site has this id. */
const NOBODY = '000000';

/**
 * The stored keys of sites. They are encrypted with the service's secret, so that a copy of the database is
 * not enough to sign.
 */
export class SiteKeys {
  #nobody: string | undefined;

  constructor(private readonly secrets: Secrets) {}

  /** The site's id is part of the sealed text, so a key cannot be moved to another row. */
  store(siteId: string, key: Uint8Array): string {
    const text = Buffer.from(key).toString('hex');
    return this.secrets.given ? SEALED + this.secrets.seal(PURPOSE, `${siteId}:${text}`) : PLAIN + text;
  }

  /** The key; null when it was sealed with another secret. */
  open(siteId: string, stored: string): Buffer | null {
    if (stored.startsWith(PLAIN)) return Buffer.from(stored.slice(PLAIN.length), 'hex');
    const text = this.secrets.open(PURPOSE, stored.slice(SEALED.length));
    return text?.startsWith(`${siteId}:`) === true ? Buffer.from(text.slice(siteId.length + 1), 'hex') : null;
  }

  /** The key sealed with the current secret; null when it cannot be opened. */
  renewed(siteId: string, stored: string): string | null {
    if (stored.startsWith(SEALED)) {
      const renewed = this.secrets.renewed(PURPOSE, stored.slice(SEALED.length));
      return renewed === null ? null : SEALED + renewed;
    }
    const key = this.secrets.given ? this.open(siteId, stored) : null;
    return key === null ? stored : this.store(siteId, key);
  }

  /**
   * Is the proof valid for the site's key? For an unknown site (null) it takes the same time and is never
   * valid.
   */
  proves(
    siteId: string,
    stored: string | null,
    proof: { readonly given: Uint8Array; expected(key: Buffer): Uint8Array },
  ): boolean {
    const key = this.open(stored === null ? NOBODY : siteId, stored ?? this.#dummy());
    const same = sameBytes(proof.expected(key ?? Buffer.alloc(KEY_BYTES)), proof.given);
    return same && key !== null && stored !== null;
  }

  #dummy(): string {
    return (this.#nobody ??= this.store(NOBODY, randomBytes(KEY_BYTES)));
  }
}
