import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const DIGITS = '0123456789';

/** Unguessable text of letters and digits. */
export const randomToken = (length: number): string => pick(LETTERS, length);

export const randomDigits = (length: number): string => pick(DIGITS, length);

const pick = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
