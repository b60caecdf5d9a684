import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { sameBytes } from '../core/constant-time.js';

export interface Signer {
  /** HMAC-SHA256 over the text, hex. */
  sign(purpose: string, text: string): string;
}

/** Keyed hashes and sealed texts made with the service secret; one derived key per purpose. */
export interface Secrets extends Signer {
  /** Replaced secrets whose signatures are still accepted. */
  readonly former: readonly Signer[];
  /** The signature of the current secret, then those of the replaced ones: for looking up stored hashes. */
  signatures(purpose: string, text: string): string[];
  /** Checks a signature in constant time; replaced secrets count too. */
  verify(purpose: string, text: string, signature: string): boolean;
  /** AES-256-GCM, base64url. */
  seal(purpose: string, text: string): string;
  /** null when it was sealed with another secret or for another purpose. */
  open(purpose: string, sealed: string): string | null;
  /**
   * The text sealed with the current secret; unchanged when it already is, null when no known secret opens it.
   */
  renewed(purpose: string, sealed: string): string | null;
  /** True while texts may be sealed with a replaced secret. */
  readonly isReplaced: boolean;
  /** True when the host gave the secret; false when it was generated and is stored in the database. */
  readonly given: boolean;
  /** True when another process uses this database with another secret. */
  readonly differs: boolean;
}

/** How many stored texts were resealed with the current secret, and how many no known secret opens. */
export interface ResealReport {
  readonly renewed: number;
  readonly lost: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_REMEMBERED = 2000;
const MAX_REMEMBERED_LENGTH = 500;

/**
 * Derives one key per purpose from a secret and the id of a service: a signature for one purpose is not valid
 * for another, nor in another service with the same secret.
 */
class SecretKeys implements Signer {
  readonly #keys = new Map<string, KeyObject>();
  readonly #salt: string;

  constructor(
    private readonly secret: string,
    serviceId: string,
  ) {
    this.#salt = `affiliate-service ${serviceId}`;
  }

  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.key(purpose)).update(text).digest('hex');
  }

  /**
   * Returns a key object, because Node would create one from bytes at every signature, which takes longer
   * than signing.
   */
  key(purpose: string): KeyObject {
    const known = this.#keys.get(purpose);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', this.secret, this.#salt, purpose, 32)));
    this.#keys.set(purpose, key);
    return key;
  }
}

/** A replaced secret. What it sealed can be opened forever; its signatures count until a time (epoch ms). */
export interface FormerSecret {
  readonly secret: string;
  readonly until: number;
}

interface SignedText {
  readonly purpose: string;
  readonly text: string;
  readonly signature: string;
}

const isSignedBy = (signer: Signer, { purpose, text, signature }: SignedText): boolean =>
  sameBytes(Buffer.from(signature), Buffer.from(signer.sign(purpose, text)));

/**
 * The service secret and the secrets it replaced (option `previousSecrets`). Can be used once it is bound to
 * the service's id.
 */
export class KeyRing implements Secrets {
  #secret: string | undefined;
  #current: SecretKeys | undefined;
  #former: readonly { readonly keys: SecretKeys; readonly until: number }[] = [];
  readonly #verified = new Set<string>();
  readonly given: boolean;
  /** True when another process uses the database with another secret. */
  differs = false;

  constructor(
    secret: string | undefined,
    private readonly now: () => number = () => 0,
  ) {
    this.#secret = secret;
    this.given = secret !== undefined;
  }

  /**
   * Binds it to the id read from the database on start; `generated` is the secret stored there, used where
   * the host gave none.
   */
  bind(serviceId: string, generated?: string): this {
    const secret = (this.#secret ??= generated);
    if (secret === undefined) throw new Error('A service without a secret cannot sign.');
    this.#current = new SecretKeys(secret, serviceId);
    return this;
  }

  /** Secrets that were replaced, known on start. */
  remember(former: readonly FormerSecret[], serviceId: string): void {
    this.#former = former.map(({ secret, until }) => ({ keys: new SecretKeys(secret, serviceId), until }));
  }

  get isReplaced(): boolean {
    return this.#former.length > 0;
  }

  get former(): readonly Signer[] {
    return this.#former.length === 0
      ? []
      : this.#former.filter(({ until }) => this.now() < until).map(({ keys }) => keys);
  }

  sign(purpose: string, text: string): string {
    return this.#keys().sign(purpose, text);
  }

  signatures(purpose: string, text: string): string[] {
    return [this.#keys(), ...this.former].map((signer) => signer.sign(purpose, text));
  }

  /** A visitor's cookie arrives with every page, so signatures found valid are cached. */
  verify(purpose: string, text: string, signature: string): boolean {
    // the length shows where one ends and the other begins
    const input = `${purpose} ${signature.length} ${signature}${text}`;
    if (this.#verified.has(input)) return true;
    if (!isSignedBy(this, { purpose, text, signature }))
      return this.former.some((signer) => isSignedBy(signer, { purpose, text, signature }));
    if (input.length <= MAX_REMEMBERED_LENGTH) this.#remember(input);
    return true;
  }

  #remember(input: string): void {
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.delete(this.#verified.keys().next().value!);
    this.#verified.add(input);
  }

  seal(purpose: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys().key(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  open(purpose: string, sealed: string): string | null {
    for (const keys of [this.#keys(), ...this.#former.map((each) => each.keys)]) {
      const text = opened(keys.key(purpose), sealed);
      if (text !== null) return text;
    }
    return null;
  }

  renewed(purpose: string, sealed: string): string | null {
    if (opened(this.#keys().key(purpose), sealed) !== null) return sealed;
    const text = this.open(purpose, sealed);
    return text === null ? null : this.seal(purpose, text);
  }

  #keys(): SecretKeys {
    if (this.#current === undefined)
      throw new Error('The service is not ready: its secret is read on start.');
    return this.#current;
  }
}

function opened(key: KeyObject, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8');
  } catch {
    return null; // another key, or changed bytes
  }
}

/** Recognizes a secret of one service without storing it. */
export const secretFingerprint = (secret: string, serviceId: string): string =>
  new SecretKeys(secret, serviceId).sign('retired-secret', '').slice(0, 32);
