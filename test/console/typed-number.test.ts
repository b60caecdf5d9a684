import { describe, expect, it } from '@jest/globals';
import { parseNumber, formatNumber } from '../../console/shared/typed-number.js';
import { toDecimal, minor } from '../../src/core/money.js';
import { rateToWire } from '../../src/core/rate.js';
import { fc } from '../support/random.js';

const LOCALES = ['en', 'de', 'es', 'fr', 'ar', 'de-AT', 'de-CH', 'pt-BR', 'ar-EG', 'fa', 'hi'];
const CURRENCIES = [
  ['JPY', 0],
  ['EUR', 2],
  ['TND', 3],
] as const;
const RATE_DIGITS = 4;
const LARGEST = 9_999_999_999_999; // minor units of two digits
const locale = fc.constantFrom(...LOCALES);
const params = { numRuns: 2000 };

describe('what is written is read', () => {
  it.each(CURRENCIES)('for every amount in %s and every language', (currency, digits) => {
    fc.assert(
      fc.property(locale, fc.integer({ min: -LARGEST, max: LARGEST }), (language, amount) => {
        const wire = toDecimal(minor(amount), currency);
        expect(parseNumber(formatNumber(wire, digits, language), digits, language)).toBe(wire);
        expect(Number(parseNumber(formatNumber(Number(wire), digits, language), digits, language))).toBe(
          Number(wire),
        );
      }),
      params,
    );
  });

  it('for every rate and every language', () => {
    fc.assert(
      fc.property(locale, fc.integer({ min: 0, max: 10_000_000_000 }), (language, rateE4) => {
        const wire = rateToWire(rateE4);
        expect(Number(parseNumber(formatNumber(wire, 0, language), RATE_DIGITS, language))).toBe(wire);
      }),
      params,
    );
  });

  it('as the language itself writes it, with and without groups', () => {
    fc.assert(
      fc.property(
        locale.filter((language) => language !== 'hi'), // groups of two
        fc.constantFrom(...CURRENCIES),
        fc.integer({ min: -LARGEST, max: LARGEST }),
        fc.constantFrom(true, false, 'always' as const),
        (language, [currency, digits], amount, useGrouping) => {
          const wire = toDecimal(minor(amount), currency);
          const format = new Intl.NumberFormat(language, {
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
            useGrouping,
          });
          expect(parseNumber(format.format(Number(wire)), digits, language)).toBe(wire);
        },
      ),
      params,
    );
  });

  it('never as another number: what is read has the digits that were typed', () => {
    const sign = fc.constantFrom('.', ',', ' ', '\u202f', "'", '-', '1', '0', '50', '500', '1234');
    fc.assert(
      fc.property(locale, fc.array(sign, { maxLength: 6 }), (language, parts) => {
        const typed = parts.join('');
        const read = parseNumber(typed, 4, language);
        if (read === null) return;
        const digits = (text: string): string => text.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '');
        expect(digits(read)).toBe(digits(typed));
        // One sign and not three digits after it: a decimal sign.
        const single = /^(-?\d+)[.,](\d{1,2}|\d{4})$/.exec(typed);
        if (single) expect(Number(read)).toBe(Number(`${single[1]}.${single[2]}`));
      }),
      params,
    );
  });
});

describe.each([
  ['en', '1,234.50', '1234.50'],
  ['en', '1,234', '1234'],
  ['en', '1,5', '1.5'],
  ['en', '12,50', '12.50'],
  ['en', '1234,567', '1234.567'],
  ['en', '0,125', '0.125'],
  ['en', '1.500', '1.500'],
  ['en', ' 8.50 ', '8.50'],
  ['en', '007', '7'],
  ['en', '1,23,456', null],
  ['en', '12,34.50', null],
  ['en', '1.234,50', null],
  ['en', '1,234,5', null],
  ['en', '1 234', null],
  ['en', '8.', null],
  ['en', '.5', null],
  ['en', '1.5.5', null],
  ['en', '--1', null],
  ['en', '1e3', null],
  ['en', '€8.50', null],
  ['en', '', null],
  ['en', '1.23456', null],
  ['es', '12,50', '12.50'],
  ['es', '12.50', '12.50'],
  ['es', '1234,5', '1234.5'],
  ['es', '1.234,5', '1234.5'],
  ['es', '1.234.567', '1234567'],
  ['es', '7,5', '7.5'],
  ['es', '-7,5', '-7.5'],
  ['es', '+7,5', '7.5'],
  ['en', '+5.00', '5.00'],
  ['en', '+-5', null],
  ['de', '8.50', '8.50'],
  ['de', '8.500', '8500'],
  ['de', '8,500', '8.500'],
  ['de', '0.500', '0.500'],
  ['de', '1,234.50', null],
  ['de', '1.23.456', null],
  ['de-AT', '1 234,50', '1234.50'],
  ['de-AT', '8.500', null],
  ['de-CH', "1'234.50", '1234.50'],
  ['de-CH', '1’234.50', '1234.50'],
  ['fr', '1 234,50', '1234.50'],
  ['fr', '1\u202f234\u00a0567,5', '1234567.5'],
  ['fr', '12.50', '12.50'],
  ['fr', '1.234', null],
  ['fr', '12 34', null],
  ['ar', '١٢٫٥٠', '12.50'],
  ['ar', '١٬٢٣٤٫٥', '1234.5'],
  ['ar', '12.50', '12.50'],
  ['ar', '12,50', '12.50'],
  ['ar-EG', '12.50', '12.50'],
  ['ar-EG', '\u061c-١٢٫٥', '-12.5'],
])('in %s %j', (language, typed, read) => {
  it(read === null ? 'is refused' : `is ${read}`, () => {
    expect(parseNumber(typed, 4, language)).toBe(read);
  });
});

it('has no more decimals than the currency', () => {
  expect(parseNumber('8.505', 2, 'en')).toBeNull();
  expect(parseNumber('8.5', 0, 'en')).toBeNull();
  expect(parseNumber('8.505', 3, 'en')).toBe('8.505');
});
