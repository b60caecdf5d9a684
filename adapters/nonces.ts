import { createHmac, createSecretKey } from 'node:crypto';
import { sameBytes } from '../src/core/constant-time.js';

/** What a nonce is bound to; it ends with the sign-in it was made for. */
export interface NonceSubject {
  readonly userId: number;
  /** Something that changes with every sign-in, e.g. the session id. */
  readonly signIn: string;
}

export interface Nonces {
  create(subject: NonceSubject): string;
  verify(nonce: string, subject: NonceSubject): boolean;
}

export interface NonceOptions {
  /** Epoch milliseconds; default: the system's time. */
  readonly now: () => number;
  /** Default `rest`. */
  readonly action?: string;
}

const TICK_MS = 12 * 60 * 60 * 1000;
const LENGTH = 32; // hex characters: 128 bits
const MAX_KEPT = 1000;

/**
 * An HMAC over a 12-hour period, the user, the sign-in and the action: valid for at least 12 and less than 24
 * hours. A nonce proves intent and never grants a right.
 */
export function createNonces(secret: string, { now, action = 'rest' }: NonceOptions): Nonces {
  if (secret.length < 16) throw new Error('The secret of nonces needs at least 16 characters.');
  const tick = (): number => Math.floor(now() / TICK_MS);
  const key = createSecretKey(secret, 'utf8');
  // The latest nonces are cached: every request of a sign-in needs the same two, one to compare and one to
  // return.
  const made = new Map<string, string>();
  const make = (at: number, { userId, signIn }: NonceSubject): string => {
    const text = JSON.stringify([at, userId, signIn, action]);
    const known = made.get(text);
    if (known !== undefined) return known;
    const nonce = createHmac('sha256', key).update(text).digest('hex').slice(0, LENGTH);
    if (made.size === MAX_KEPT) made.delete(made.keys().next().value!);
    made.set(text, nonce);
    return nonce;
  };
  return {
    create: (subject) => make(tick(), subject),
    verify(nonce, subject) {
      const current = tick();
      // Both periods are always compared, so that the response time does not reveal which one matched.
      const given = Buffer.from(nonce);
      const fits = [current, current - 1].map((at) => sameBytes(given, Buffer.from(make(at, subject))));
      return fits.includes(true);
    },
  };
}
