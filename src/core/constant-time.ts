import { createHash, timingSafeEqual } from 'node:crypto';

// The only comparisons of what somebody could guess: signatures, codes, tokens, hashes of passwords.

/** Constant time for values of one length; another length is no secret. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares texts in a time that tells neither their length nor where they differ. */
export const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
