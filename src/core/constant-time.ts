import { createHash, timingSafeEqual } from 'node:crypto';

// The only place that compares secrets an attacker could guess: signatures, codes, tokens, hashes of
// passwords.

/** Takes the same time for all values of one length. The length is not secret. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares texts in a time that reveals neither their length nor where they differ. */
export const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
