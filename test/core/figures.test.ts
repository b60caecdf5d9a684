import { describe, expect, it } from '@jest/globals';
import { isolated, moneyText, percentText } from '../../src/core/figures.js';
import { SENTENCE_LANGUAGES, sentencesOf } from '../../src/core/rewards/sentences.js';
import { ruleSentences, termRateSentences } from '../../src/core/rewards/terms.js';
import type { RewardRule } from '../../src/core/rewards/types.js';
import { codeFiles } from '../support/sources.js';

const EUR = { currency: 'EUR', digits: 2 };
const RULE: RewardRule = {
  key: 'gold',
  title: '',
  event: 'sale',
  scope: 'program',
  scope_ids: [],
  when: { fact: 'order.total', op: 'gte', value: '1250.5' },
  reward: { kind: 'percent', value: '12.5', cap: { month: '100' } },
  priority: 0,
  stop: false,
  from: null,
  until: null,
} as unknown as RewardRule;

describe('rates and amounts in sentences', () => {
  it('are written as the language writes them', () => {
    const rates = SENTENCE_LANGUAGES.map((language) => percentText('12.5', language));
    expect(rates).toEqual(['12.5%', '12,5\u00a0%', '12,5\u00a0%', '12,5\u00a0%', '12.5\u200e%\u200e']);
    expect(moneyText('1250.5', EUR, 'en')).toBe('€1,250.50');
    expect(moneyText('1250.5', EUR, 'de')).toBe('1.250,50\u00a0€');
    // an amount reads from left to right in Arabic, so that "US$" is not drawn as "$US"
    expect(moneyText('7', { currency: 'USD', digits: 2 }, 'ar')).toBe('\u20667.00\u00a0US$\u2069');
    expect(moneyText('0.333', { ...EUR, most: 4 }, 'en')).toBe('€0.333');
    // decimal text is read digit by digit
    expect(moneyText('99999999999.99', EUR, 'en')).toBe('€99,999,999,999.99');
  });

  it.each(SENTENCE_LANGUAGES)('read the same in rules, rates and explanations: %s', (language) => {
    const rate = percentText('12.5', language);
    const cap = moneyText('100', EUR, language);
    const rule = ruleSentences(RULE, 'EUR')[language];
    expect(rule).toContain(rate);
    expect(rule).toContain(cap);
    expect(rule).toContain(moneyText('1250.5', EUR, language));
    const own = { source: 'global', type: 'percentage', rate: 12.5, payments: null, months: null } as const;
    expect(termRateSentences(own, 'EUR')[language]).toContain(rate);
    const sentence = sentencesOf({
      kind: 'percent',
      currency: 'EUR',
      values: { title: 'Gold', rate: '12.5', base: '800.00', amount: '100.00' },
    })[language];
    expect(sentence).toContain(rate);
    expect(sentence).toContain(cap);
  });

  it('keep their own direction in Arabic, and names in Arabic keep theirs in English', () => {
    const { ar } = ruleSentences(RULE, 'EUR');
    for (const figure of [percentText('12.5', 'ar'), moneyText('100', EUR, 'ar')])
      expect(ar).toContain(`\u2068${figure}\u2069`);
    expect(isolated('a@shop.test', 'ar')).toBe('\u2068a@shop.test\u2069');
    expect(isolated('ليلى', 'en')).toBe('\u2068ليلى\u2069');
    expect(isolated('€7.00', 'en')).toBe('€7.00');
  });

  it('have one writer in the sources', () => {
    const writers = codeFiles()
      .filter(
        ({ path, text }) => /^(?:src|console)\//u.test(path) && /style: '(?:percent|currency)'/u.test(text),
      )
      .map(({ path }) => path);
    // two ask for the sign and the digits of a currency
    expect(writers.toSorted()).toEqual([
      'console/shared/money.tsx',
      'console/shared/sums.tsx',
      'src/core/figures.ts',
    ]);
  });
});
