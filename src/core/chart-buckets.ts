import { DAY } from './duration.js';

export interface ChartBuckets {
  /** The first day of each bucket, `YYYY-MM-DD`, for every bucket that touches the range. */
  readonly labels: readonly string[];
  /** The bucket of a day, -1 outside the range. */
  readonly indexOf: (day: number) => number;
}

const MAX_DAILY = 62;
const MAX_WEEKLY = 92;

/**
 * Buckets for a range: days up to 62 days, ISO weeks up to 92 days, months beyond (docs/interface.md §12.2);
 * both ends inclusive.
 */
export function chartBuckets(startDay: number, endDay: number): ChartBuckets {
  const length = endDay - startDay + 1;
  const numberOf =
    length <= MAX_DAILY ? (day: number) => day : length <= MAX_WEEKLY ? weekNumber : monthNumber;
  const labelOf = length <= MAX_DAILY ? dayLabel : length <= MAX_WEEKLY ? weekLabel : monthLabel;
  const first = numberOf(startDay);
  const count = Math.max(0, numberOf(endDay) - first + 1);
  return {
    labels: Array.from({ length: count }, (_, index) => labelOf(first + index)),
    indexOf: (day) => (day < startDay || day > endDay ? -1 : numberOf(day) - first),
  };
}

// Weeks and months are numbered from the first one on, so the same month of two years is two buckets. Day 0
// was a Thursday: +3 makes Monday the first day.
const weekNumber = (day: number): number => Math.floor((day + 3) / 7);
const monthNumber = (day: number): number => {
  const date = new Date(day * DAY);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

const dayLabel = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
const weekLabel = (week: number): string => dayLabel(week * 7 - 3);
const monthLabel = (month: number): string => dayLabel(Date.UTC(Math.floor(month / 12), month % 12) / DAY);
