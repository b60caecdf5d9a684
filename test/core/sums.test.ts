import { expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import { currencies, minor, parseAmount, split, toDecimal } from '../../src/core/money.js';

const codes = currencies().map(({ code }) => code);
const digitsOf = new Map(currencies().map(({ code, digits }) => [code, digits]));

const decimal = (amount: number, digits: number): string => {
  const text = String(amount).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

it('adds amounts of every currency exactly, from decimal text to decimal text', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...codes),
      fc.array(fc.nat(99_999_999), { minLength: 500, maxLength: 1000 }),
      (code, amounts) => {
        const digits = digitsOf.get(code) ?? 2;
        const read = amounts.map((amount) => parseAmount(decimal(amount, digits), code) ?? 0);
        const sum = read.reduce<number>((total, amount) => total + amount, 0);

        expect(read).toEqual(amounts);
        expect(BigInt(sum)).toBe(amounts.reduce((total, amount) => total + BigInt(amount), 0n));
        expect(toDecimal(minor(sum), code)).toBe(decimal(sum, digits));
      },
    ),
    { numRuns: 50 },
  );
});

it('splits a total into parts that add up to it', () => {
  fc.assert(
    fc.property(
      fc.nat(99_999_999_999),
      fc.array(fc.nat(10_000), { minLength: 1, maxLength: 50 }),
      (total, weights) => {
        if (weights.every((weight) => weight === 0)) return;
        expect(split(minor(total), weights).reduce<number>((sum, part) => sum + part, 0)).toBe(total);
      },
    ),
  );
});
