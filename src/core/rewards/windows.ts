import { dayStart, dayText, siteDay } from '../dates.js';
import { DAY } from '../duration.js';
import type { GoalWindow } from './types.js';

const PERIOD = 30;
const MONTHS_OF_A_QUARTER = 3;

/** A span of time that goals and levels count in, on the site's clock. It is the same for all affiliates. */
export interface WindowSpan {
  /** `2026-01`, `2026-q1`, the first day of 30 days, or `all`. */
  readonly key: string;
  readonly from: number;
  /** Null: it never ends. */
  readonly until: number | null;
}

/** The window that contains this instant. Periods of 30 days follow each other since 1970-01-01. */
export function windowAt(window: GoalWindow, at: number, timeZone: string): WindowSpan {
  if (window === 'all_time') return { key: 'all', from: 0, until: null };
  const day = siteDay(at, timeZone);
  const span = (key: string, first: number, end: number): WindowSpan => ({
    key,
    from: dayStart(first, timeZone),
    until: dayStart(end, timeZone),
  });
  if (window === '30_days') {
    const first = Math.floor(day / PERIOD) * PERIOD;
    return span(dayText(first), first, first + PERIOD);
  }
  const text = dayText(day);
  const [year = 0, month = 1] = text.split('-').map(Number);
  const firstOf = (m: number): number => Date.UTC(year, m, 1) / DAY;
  if (window === 'month') return span(text.slice(0, 7), firstOf(month - 1), firstOf(month));
  const quarter = Math.floor((month - 1) / MONTHS_OF_A_QUARTER);
  const first = quarter * MONTHS_OF_A_QUARTER;
  return span(`${year}-q${quarter + 1}`, firstOf(first), firstOf(first + MONTHS_OF_A_QUARTER));
}

/** The window before this one; null before the first. */
export const windowBefore = (
  window: GoalWindow,
  { from }: WindowSpan,
  timeZone: string,
): WindowSpan | null => (window === 'all_time' ? null : windowAt(window, from - 1, timeZone));
