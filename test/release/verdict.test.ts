import { expect, it } from '@jest/globals';
import { verdict } from './verdict.mjs';

it('tells an outcome as seen only where nothing was wrong', () => {
  const outcome = 'nothing is lost.';
  expect(verdict({ outcome, problems: [] })).toBe('Seen: nothing is lost.\n\nNothing wrong.');
  expect(verdict({ outcome, problems: ['2 orders lost'] })).toBe(
    'Expected, but not seen: nothing is lost.\n\nWrong: 2 orders lost',
  );
});

it('has something to say without an outcome, and of many problems', () => {
  expect(verdict({ problems: [] })).toBe('Nothing wrong.');
  expect(verdict({ problems: Array.from({ length: 22 }, () => 'x') })).toMatch(
    /^Wrong: x(; x){19}; and 2 more$/,
  );
});
