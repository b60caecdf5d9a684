import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';

import {
  applyRate,
  currencies,
  currencyDigits,
  currencySymbol,
  flatAmount,
  formatMoney,
  isCurrency,
  minor,
  parseAmount,
  scale,
  split,
  toDecimal,
  toWire,
} from '../../src/core/money.js';

const LIMIT = 9_999_999_999_999;
const amounts = fc.integer({ min: -LIMIT, max: LIMIT }).map(minor);
const codes = fc.constantFrom('USD', 'JPY', 'KWD', 'MGA', 'HUF');

describe('currencies', () => {
  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['MGA', 2],
    ['MRU', 2],
    ['UGX', 0],
    ['ISK', 0],
    ['HUF', 2],
    ['TWD', 2],
    ['IQD', 3],
    ['CLF', 4],
    ['???', 2],
  ])('gives %s %i decimals', (code, digits) => {
    expect(currencyDigits(code)).toBe(digits);
  });

  it('knows upper-case ISO codes only', () => {
    expect(['EUR', 'eur', 'toString', ''].map(isCurrency)).toEqual([true, false, false, false]);
  });

  it('knows those that are withdrawn, and does not offer them', () => {
    const withdrawn = ['ANG', 'BGN', 'HRK', 'MRO', 'SLL', 'STD'];
    expect(withdrawn.every(isCurrency)).toBe(true);
    expect(currencies().filter(({ code }) => withdrawn.includes(code))).toEqual([]);
  });

  it('shows a code that has no symbol', () => {
    expect([currencySymbol('EUR'), currencySymbol('XOF'), currencySymbol('ABC')]).toEqual([
      '€',
      'XOF',
      'ABC',
    ]);
  });

  it('lists all of them by code', () => {
    const list = currencies();

    expect(list.length).toBeGreaterThan(136);
    expect(list).toContainEqual({ code: 'KWD', digits: 3, name: 'Kuwaiti Dinar' });
    expect(list.map((entry) => entry.code)).toEqual(list.map((entry) => entry.code).toSorted());
  });
});

describe('minor', () => {
  it('takes safe integers only', () => {
    expect(minor(7)).toBe(7);
    expect(Object.is(minor(-0), 0)).toBe(true);
    for (const value of [0.5, Number.NaN, Infinity, 2 ** 53]) expect(() => minor(value)).toThrow(RangeError);
  });
});

describe('parseAmount', () => {
  it.each<[string | number, string, number | null]>([
    ['1.005', 'USD', 101],
    [1.005, 'USD', 101],
    ['-1.005', 'USD', -101],
    ['1.0049999', 'USD', 100],
    ['0.005', 'USD', 1],
    ['-0.004', 'USD', 0],
    ['12.50', 'USD', 1250],
    [' +12.5 ', 'USD', 1250],
    ['.5', 'USD', 50],
    ['5.', 'USD', 500],
    ['1.2e3', 'USD', 120_000],
    ['1005E-3', 'USD', 101],
    ['1e-99999', 'USD', 0],
    ['1e99999', 'USD', null],
    [1e21, 'USD', null],
    ['0e99999', 'USD', 0],
    ['1005', 'JPY', 1005],
    ['0.5', 'JPY', 1],
    ['10.0005', 'KWD', 10_001],
    ['99999999999.99', 'USD', LIMIT],
    ['-99999999999.99', 'USD', -LIMIT],
    ['99999999999.994', 'USD', LIMIT],
    ['99999999999.995', 'USD', null],
    ['100000000000', 'USD', null],
    ['99999999999', 'JPY', 99_999_999_999],
    ['100000000000', 'JPY', null],
    ['99999999999.99', 'KWD', 99_999_999_999_990],
    ['', 'USD', null],
    [' ', 'USD', null],
    ['.', 'USD', null],
    ['e5', 'USD', null],
    ['1,5', 'USD', null],
    ['0x10', 'USD', null],
    ['1.2.3', 'USD', null],
    ['--1', 'USD', null],
    ['NaN', 'USD', null],
    [Number.NaN, 'USD', null],
    [Infinity, 'USD', null],
    ['Infinity', 'USD', null],
    ['1'.repeat(101), 'USD', null],
    ['0.1'.padEnd(90, '1'), 'USD', 11],
  ])('reads %j %s as %j', (input, currency, expected) => {
    expect(parseAmount(input, currency)).toBe(expected);
  });

  it('takes minor units as they are', () => {
    expect(parseAmount({ minor: 1250 }, 'USD')).toBe(1250);
    expect(parseAmount({ minor: 12.5 }, 'USD')).toBeNull();
    expect(parseAmount({ minor: LIMIT + 1 }, 'USD')).toBeNull();
  });

  it('gives back every amount it wrote', () => {
    fc.assert(
      fc.property(amounts, codes, (amount, currency) => {
        const small = currency === 'JPY' ? minor(Math.trunc(amount / 100)) : amount;
        expect(parseAmount(toDecimal(small, currency), currency)).toBe(small);
        expect(parseAmount(toWire(small, currency), currency)).toBe(small);
      }),
    );
  });

  it('rounds like a person does on paper, at whatever digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.integer({ min: 0, max: 999 }),
        (cents, thousandths) => {
          const decimals = `${String(cents % 100n).padStart(2, '0')}${String(thousandths).padStart(3, '0')}`;
          const text = `${cents / 100n}.${decimals}`;
          const expected = Number(cents) + (thousandths >= 500 ? 1 : 0);
          expect(parseAmount(text, 'USD')).toBe(expected);
          expect(parseAmount(`-${text}`, 'USD')).toBe(expected === 0 ? 0 : -expected);
        },
      ),
    );
  });
});

describe('what is written', () => {
  it.each([
    [1250, 'USD', '12.50', 12.5],
    [-5, 'USD', '-0.05', -0.05],
    [0, 'USD', '0.00', 0],
    [101, 'JPY', '101', 101],
    [1250, 'KWD', '1.250', 1.25],
    [1, 'CLF', '0.0001', 0.0001],
    [LIMIT, 'USD', '99999999999.99', 99_999_999_999.99],
  ])('%i %s is %s', (amount, currency, text, wire) => {
    expect(toDecimal(minor(amount), currency)).toBe(text);
    expect(toWire(minor(amount), currency)).toBe(wire);
  });

  it('is in JSON the number that its decimal text is read as', () => {
    for (let amount = -20_000; amount <= 20_000; amount += 1)
      for (const code of ['JPY', 'USD', 'KWD', 'CLF'])
        if (toWire(minor(amount), code) !== Number(toDecimal(minor(amount), code)))
          throw new Error(`${amount} ${code}`);
    fc.assert(
      fc.property(
        fc.maxSafeInteger().map(minor),
        fc.constantFrom('JPY', 'USD', 'KWD', 'CLF'),
        (amount, code) => expect(toWire(amount, code)).toBe(Number(toDecimal(amount, code))),
      ),
      { numRuns: 5000 },
    );
  });

  it('never shows an exponent or float noise in JSON', () => {
    fc.assert(
      fc.property(amounts, codes, (amount, currency) => {
        expect(JSON.stringify(toWire(amount, currency))).toMatch(/^-?\d+(?:\.\d{1,4})?$/u);
      }),
    );
  });

  it.each([
    ['USD', 'left', 'comma_separated', 123_450, '$ 1,234.50'],
    ['USD', 'right', 'dot_separated', 123_450, '1.234,50 $'],
    ['JPY', 'left', 'comma_separated', 1_234_567, '¥ 1,234,567'],
    ['KWD', 'right', 'comma_separated', 1250, '1.250 KWD'],
    ['USD', 'left', 'comma_separated', -123_456, '$ -1,234.56'],
    ['EUR', 'left', 'dot_separated', 99, '€ 0,99'],
    ['USD', 'left', 'comma_separated', 100_000, '$ 1,000.00'],
    ['USD', 'left', 'comma_separated', 99_999, '$ 999.99'],
  ] as const)('%s %s %s: %i', (currency, position, numberFormat, amount, text) => {
    expect(formatMoney(minor(amount), currency, { position, numberFormat })).toBe(text);
  });
});

describe('rates', () => {
  // docs/tracking.md §8.4
  it.each([
    [9000, 200_000, 1800],
    [11_300, 200_000, 2260],
    [6000, 100_000, 600],
    [1005, 100_000, 101],
    [199, 125_000, 25],
    [1005, 100_000, 101],
    [10_000, 125_000, 1250],
    [2675, 10_000, 27],
    [9000, 0, 0],
    [8000, 250_000, 2000],
    [8000, 200_000, 1600],
    [999, 100_000, 100],
    [-1005, 100_000, -101],
  ])('%i at rate %i is %i', (base, rate, commission) => {
    expect(applyRate(minor(base), rate)).toBe(commission);
  });

  it('rounds once per order, not per line', () => {
    const perLine = [333, 333, 333]
      .map((line) => applyRate(minor(line), 100_000))
      .reduce<number>((a, b) => a + b, 0);

    expect(applyRate(minor(999), 100_000)).toBe(100);
    expect(perLine).toBe(99);
  });

  // docs/integrations.md §6
  it.each([
    ['1 defaults', 9000, 1800],
    ['2 tax', 10_800, 2160],
    ['3 tax and shipping', 11_400, 2280],
    ['4 shipping', 9500, 1900],
    ['5 before discount', 10_000, 2000],
    ['6 item refund', 4500, 900],
    ['12 ISK', 1500, 300],
  ])('vector %s at 20 %%', (_name, base, commission) => {
    expect(applyRate(minor(base), 200_000)).toBe(commission);
  });

  it('prorates with one rounding at the commission', () => {
    expect(scale(minor(9000), 60 * 20, 114 * 100)).toBe(947);
    expect(scale(minor(10_000), 60 * 20, 100 * 100)).toBe(1200);
    expect(scale(minor(5), 1, -2)).toBe(-3);
    expect(() => scale(minor(1), 1, 0)).toThrow('Division by zero.');
  });

  it.each([
    [50_000, 'USD', 500],
    [12_345, 'USD', 123],
    [12_350, 'USD', 124],
    [5000, 'JPY', 1],
    [12_345, 'KWD', 1235],
  ])('flat %i %s is %i', (rate, currency, amount) => {
    expect(flatAmount(rate, currency)).toBe(amount);
  });

  it('is symmetric around zero and never off by more than half a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 1_000_000 }), (base, rate) => {
        const amount = applyRate(minor(base), rate);
        expect(applyRate(minor(-base), rate)).toBe(0 - amount);
        const error = BigInt(amount) * 1_000_000n - BigInt(base) * BigInt(rate);
        expect(error > -500_000n && error <= 500_000n).toBe(true);
      }),
    );
  });

  it('refuses a result that is no longer exact', () => {
    expect(() => applyRate(minor(Number.MAX_SAFE_INTEGER), 2_000_000)).toThrow(RangeError);
  });
});

describe('split', () => {
  it.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [-100, [1, 1, 1], [-34, -33, -33]],
    [100, [333, 333, 333], [34, 33, 33]],
    [10, [0, 0], [5, 5]],
    [7, [0, 3, 0], [0, 7, 0]],
    [0, [], []],
    [0, [5], [0]],
    [101, [60, 40], [61, 40]],
  ])('%i over %j is %j', (total, weights, parts) => {
    expect(split(minor(total), weights)).toEqual(parts);
  });

  it('always adds up, keeps the sign, and is never a whole unit away from the exact share', () => {
    const weights = fc.array(fc.integer({ min: 0, max: LIMIT }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(amounts, weights, (total, shares) => {
        const parts = split(total, shares);
        const sum = shares.reduce((a, b) => a + BigInt(b), 0n);
        expect(parts.reduce((a, b) => a + BigInt(b), 0n)).toBe(BigInt(total));
        if (sum === 0n) return;
        for (const [index, part] of parts.entries()) {
          const distance = BigInt(part) * sum - BigInt(total) * BigInt(shares[index] ?? 0);
          expect(distance < sum && distance > -sum).toBe(true);
        }
      }),
    );
  });

  it('refuses what it cannot divide', () => {
    expect(() => split(minor(5), [])).toThrow(RangeError);
    expect(() => split(minor(5), [1, -1])).toThrow(RangeError);
    expect(() => split(minor(5), [0.5])).toThrow(RangeError);
  });
});

it('adds to the same sum in any order', () => {
  const shuffled = fc
    .array(fc.integer({ min: -1e9, max: 1e9 }))
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(shuffled, ([list, mixed]) => {
      const sum = (values: readonly number[]): number =>
        values.map((value) => minor(value)).reduce<number>((a, b) => a + b, 0);
      expect(toWire(minor(sum(list)), 'USD')).toBe(toWire(minor(sum(mixed)), 'USD'));
    }),
  );
});
