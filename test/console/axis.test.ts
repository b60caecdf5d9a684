import { expect, it } from '@jest/globals';
import { moneyAxis, topOf, WHOLE_STEPS } from '../../console/shared/axis.js';

it('a chart without sums has whole steps from 0 to 2', () => {
  expect(topOf(0)).toBe(2);
  const { steps, digits } = moneyAxis(0, 2);
  expect(digits).toBe(0);
  expect(steps!.every((step) => Number.isInteger(step))).toBe(true);
});

it('counts, and currencies without decimals, have whole steps, however small the figures', () => {
  expect(WHOLE_STEPS.slice(0, 6)).toEqual([1, 2, 5, 10, 20, 50]);
  expect(moneyAxis(3, 0)).toEqual({ steps: WHOLE_STEPS, digits: 0 });
});

it('small sums have their decimals on the axis, large ones are short', () => {
  expect(moneyAxis(0.8, 2)).toEqual({ steps: undefined, digits: 2 });
  expect(moneyAxis(4200, 2)).toEqual({ steps: undefined, digits: undefined });
});

it('the highest value lies below the end of its axis', () => {
  expect(topOf(10)).toBeGreaterThan(10);
});
