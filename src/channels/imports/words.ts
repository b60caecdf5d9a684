import { own } from '../../core/own.js';
import type { SourceWord } from './types.js';

/** A word of the old system as it is compared: trimmed, lower case. */
export const foldWord = (value: unknown): string =>
  (typeof value === 'string' || typeof value === 'number' ? String(value) : '').trim().toLowerCase();

/** `skip` leaves the row out, which is told. */
export const SKIP = 'skip';

/**
 * The status words of each kind of row; the first column of a mapping may name any, the second one of these.
 */
export const CHOICES: Readonly<Record<SourceWord['stage'], readonly string[]>> = {
  affiliates: ['pending', 'active', 'inactive'],
  referrals: ['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing'],
  payouts: ['paid', 'processing', 'failed'],
};

/** Words nobody has said the meaning of. */
export const unknownWords = (
  words: readonly SourceWord[],
  said: Readonly<Record<string, string>>,
): SourceWord[] =>
  words.filter(({ stage, word }) => {
    const known = [...CHOICES[stage], SKIP];
    return !known.includes(word) && !known.includes(own(said, word) ?? '');
  });

/**
 * Providers of shops under other names than ours: a refund after the move finds its order only under ours.
 */
const PROVIDERS: Readonly<Record<string, string>> = {
  woocommerce: 'woo',
  'woocommerce-subscriptions': 'woo',
  woocommerce_subscriptions: 'woo',
  wc: 'woo',
};

/** What a shop of the old program is called here. */
export const providerOf = (name: string, said: Readonly<Record<string, string>>): string =>
  own(said, foldWord(name)) ?? own(PROVIDERS, foldWord(name)) ?? name;
