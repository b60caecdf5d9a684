import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets, Signer } from './app.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys derived from one secret, one per purpose, so that a signature for one thing is worth nothing for another. */
class SecretKeys implements Signer {
  readonly #keys = new Map<string, Buffer>();

  constructor(private readonly secret: string) {}

  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.key(purpose)).update(text).digest('hex');
  }

  key(purpose: string): Buffer {
    const known = this.#keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', this.secret, 'affiliate-service', purpose, 32));
    this.#keys.set(purpose, key);
    return key;
  }
}

/** A replaced secret: opens what it sealed for good, and vouches for what it signed until then (epoch ms). */
export interface FormerSecret {
  readonly secret: string;
  readonly until: number;
}

/** The service secret and those it replaced (option `previousSecrets`). */
export class KeyRing implements Secrets {
  #current: SecretKeys | undefined;
  #former: readonly { readonly keys: SecretKeys; readonly until: number }[] = [];
  readonly given: boolean;

  constructor(secret: string | undefined, private readonly now: () => number = () => 0) {
    this.#current = secret === undefined ? undefined : new SecretKeys(secret);
    this.given = secret !== undefined;
  }

  /** The generated secret, read from the database on start. */
  use(secret: string): void {
    this.#current ??= new SecretKeys(secret);
  }

  /** Secrets that were replaced, known on start. */
  remember(former: readonly FormerSecret[]): void {
    this.#former = former.map(({ secret, until }) => ({ keys: new SecretKeys(secret), until }));
  }

  get former(): readonly Signer[] {
    return this.#former.length === 0 ? [] : this.#former.filter(({ until }) => this.now() < until).map(({ keys }) => keys);
  }

  sign(purpose: string, text: string): string {
    return this.#keys().sign(purpose, text);
  }

  verify(purpose: string, text: string, signature: string): boolean {
    const actual = Buffer.from(signature);
    const isBy = (signer: Signer): boolean => {
      const expected = Buffer.from(signer.sign(purpose, text));
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    };
    return isBy(this) || this.former.some(isBy);
  }

  seal(purpose: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys().key(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  open(purpose: string, sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    for (const keys of [this.#keys(), ...this.#former.map((each) => each.keys)]) {
      const text = opened(keys.key(purpose), bytes);
      if (text !== null) return text;
    }
    return null;
  }

  #keys(): SecretKeys {
    if (this.#current === undefined) throw new Error('The service is not ready: its secret is read on start.');
    return this.#current;
  }
}

function opened(key: Buffer, bytes: Buffer): string | null {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null; // another key, or changed bytes
  }
}
