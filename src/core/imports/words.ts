import { own } from '../own.js';

/** A status of the old system, as a source hands it out: ours, or folded where it has no word for it. */
export interface SourceWord {
  readonly stage: 'affiliates' | 'referrals' | 'payouts';
  readonly word: string;
  readonly count: number;
}

/** A word of the old system as it is compared: trimmed, lower case. */
export const foldWord = (value: unknown): string =>
  (typeof value === 'string' || typeof value === 'number' ? String(value) : '').trim().toLowerCase();

/** `skip` skips the row; the report lists it. */
export const SKIP = 'skip';

/**
 * The status words of each kind of row; the first column of a mapping may name any, the second one of these.
 */
export const CHOICES: Readonly<Record<SourceWord['stage'], readonly string[]>> = {
  affiliates: ['pending', 'active', 'inactive'],
  referrals: ['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing'],
  payouts: ['paid', 'processing', 'failed'],
};

/** Status words without a meaning here. */
export const unknownWords = (
  words: readonly SourceWord[],
  meanings: Readonly<Record<string, string>>,
): SourceWord[] =>
  words.filter(({ stage, word }) => {
    const known = [...CHOICES[stage], SKIP];
    return !known.includes(word) && !known.includes(own(meanings, word) ?? '');
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
export const providerOf = (name: string, aliases: Readonly<Record<string, string>>): string =>
  own(aliases, foldWord(name)) ?? own(PROVIDERS, foldWord(name)) ?? name;
