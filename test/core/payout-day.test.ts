import { expect, it } from '@jest/globals';
import { dayText, parseDay } from '../../src/core/dates.js';
import { nextPayoutDay, type Rhythm } from '../../src/core/payout-day.js';

const next = (rhythm: Rhythm, day: number, today: string): string | null => {
  const found = nextPayoutDay(rhythm, day, parseDay(today) ?? 0);
  return found === null ? null : dayText(found);
};

it.each<[Rhythm, number, string, string | null]>([
  ['none', 1, '2026-01-15', null],
  ['weekly', 1, '2026-01-15', '2026-01-19'], // a Thursday; Monday
  ['weekly', 4, '2026-01-15', '2026-01-15'],
  ['weekly', 3, '2026-01-15', '2026-01-21'],
  ['weekly', 28, '2026-01-15', '2026-01-18'],
  ['monthly', 15, '2026-01-15', '2026-01-15'],
  ['monthly', 1, '2026-01-15', '2026-02-01'],
  ['monthly', 28, '2026-12-29', '2027-01-28'],
  ['quarterly', 10, '2026-01-05', '2026-01-10'],
  ['quarterly', 10, '2026-01-15', '2026-04-10'],
  ['quarterly', 1, '2026-11-02', '2027-01-01'],
])('payouts are made %s on day %i: after %s on %s', (rhythm, day, today, expected) => {
  expect(next(rhythm, day, today)).toBe(expected);
});
