import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const DIGITS = '0123456789';

/** Unguessable text of letters and digits. */
export const randomToken = (length: number): string => pick(LETTERS, length);

export const randomDigits = (length: number): string => pick(DIGITS, length);

const pick = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** Compares secrets in a time that tells neither their length nor where they differ. */
export const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
