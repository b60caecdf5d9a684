import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from './app.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys derived from one service secret, one per purpose, so that a signature for one thing is worth nothing for another. */
export class KeyRing implements Secrets {
  readonly #keys = new Map<string, Buffer>();
  #secret: string | undefined;
  readonly given: boolean;

  constructor(secret: string | undefined) {
    this.#secret = secret;
    this.given = secret !== undefined;
  }

  /** The generated secret, read from the database on start. */
  use(secret: string): void {
    this.#secret ??= secret;
  }

  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.#key(purpose)).update(text).digest('hex');
  }

  verify(purpose: string, text: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(purpose, text));
    const actual = Buffer.from(signature);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }

  seal(purpose: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  open(purpose: string, sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.#key(purpose), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return null; // another key, or changed bytes
    }
  }

  #key(purpose: string): Buffer {
    const known = this.#keys.get(purpose);
    if (known) return known;
    if (this.#secret === undefined) throw new Error('The service is not ready: its secret is read on start.');
    const key = Buffer.from(hkdfSync('sha256', this.#secret, 'affiliate-service', purpose, 32));
    this.#keys.set(purpose, key);
    return key;
  }
}
