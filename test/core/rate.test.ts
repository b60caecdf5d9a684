import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';

import { parseRate, rateText, rateToWire } from '../../src/core/rate.js';

describe('rates', () => {
  it.each<[string | number, number | null]>([
    ['12.5', 125_000],
    [12.5, 125_000],
    ['0', 0],
    ['-0', 0],
    ['0.0001', 1],
    ['1e-4', 1],
    ['1.5e1', 150_000],
    ['12.50000', 125_000],
    ['100', 1_000_000],
    ['99999999999.99', 999_999_999_999_900],
    ['100000000000', null],
    ['1e30', null],
    ['1e400', null],
    ['1e-400', null],
    ['0.00001', null],
    ['12.34567', null],
    ['-1', null],
    ['', null],
    ['abc', null],
    ['5%', null],
    [Number.NaN, null],
    [0.1 + 0.2, null],
  ])('reads %j as %j', (input, expected) => {
    expect(parseRate(input)).toBe(expected);
  });

  it.each([
    [125_000, '12.5'],
    [0, '0'],
    [1, '0.0001'],
    [1_000_000, '100'],
    [200_000, '20'],
    [123_456, '12.3456'],
  ])('writes %i as %s', (rate, text) => {
    expect(rateText(rate)).toBe(text);
    expect(rateToWire(rate)).toBe(Number(text));
  });

  it('gives back every rate it wrote', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_900 }), (rate) => {
        expect(parseRate(rateText(rate))).toBe(rate);
        expect(rateToWire(rate)).toBe(Number(rateText(rate)));
        expect(parseRate(rateToWire(rate))).toBe(rate);
      }),
    );
  });
});
