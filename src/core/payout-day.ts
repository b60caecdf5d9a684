import { DAY } from './duration.js';

export const RHYTHMS = ['none', 'weekly', 'monthly', 'quarterly'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

const WEEK = 7;
/** The weekday of 1970-01-01, day 0, counted from Monday as 1. */
const THURSDAY = 4;
const MONTHS_OF_QUARTER = 3;

/**
 * The next day of payment from `today` on, both as days since 1970; null without a rhythm. `day` is the weekday, Monday
 * being 1 (a later one than 7 is Sunday), or the day of the month, of a quarter's first month.
 */
export function nextPayoutDay(rhythm: Rhythm, day: number, today: number): number | null {
  if (rhythm === 'none') return null;
  if (rhythm === 'weekly') {
    const weekday = ((today + THURSDAY - 1) % WEEK) + 1;
    return today + ((Math.min(day, WEEK) - weekday + WEEK) % WEEK);
  }
  const date = new Date(today * DAY);
  const step = rhythm === 'monthly' ? 1 : MONTHS_OF_QUARTER;
  const month = Math.floor(date.getUTCMonth() / step) * step;
  const at = (later: number): number => Date.UTC(date.getUTCFullYear(), month + later, day) / DAY;
  return at(0) >= today ? at(0) : at(step);
}
