import { DAY } from '../../src/core/duration.js';

const weekday = (day: number): number => new Date(day * DAY).getUTCDay();
const dayOf = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / DAY;

/** Easter Sunday of the Gregorian calendar (Meeus). */
function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return dayOf(year, Math.floor(f / 31), (f % 31) + 1);
}

/** Does TARGET, the system behind SEPA, rest on this day (days since 1970-01-01)? */
function isTargetHoliday(day: number): boolean {
  const year = new Date(day * DAY).getUTCFullYear();
  const sunday = easter(year);
  return [
    dayOf(year, 1, 1),
    sunday - 2,
    sunday + 1,
    dayOf(year, 5, 1),
    dayOf(year, 12, 25),
    dayOf(year, 12, 26),
  ].includes(day);
}

/** The nth weekday of a month (0 Sunday); -1 counts from the end. */
function nthOf(year: number, month: number, [n, wanted]: readonly [number, number]): number {
  if (n < 0) {
    const last = dayOf(year, month + 1, 1) - 1;
    return last - ((weekday(last) - wanted + 7) % 7);
  }
  const first = dayOf(year, month, 1);
  return first + ((wanted - weekday(first) + 7) % 7) + (n - 1) * 7;
}

/** The holidays of the Federal Reserve; one on a Sunday moves to Monday. */
function isFedHoliday(day: number): boolean {
  const year = new Date(day * DAY).getUTCFullYear();
  const fixed = [
    dayOf(year, 1, 1),
    dayOf(year, 6, 19),
    dayOf(year, 7, 4),
    dayOf(year, 11, 11),
    dayOf(year, 12, 25),
  ];
  const moving = [
    nthOf(year, 1, [3, 1]),
    nthOf(year, 2, [3, 1]),
    nthOf(year, 5, [-1, 1]),
    nthOf(year, 9, [1, 1]),
    nthOf(year, 10, [2, 1]),
    nthOf(year, 11, [4, 4]),
  ];
  return [
    ...moving,
    ...fixed,
    ...fixed.filter((each) => weekday(each) === 0).map((each) => each + 1),
  ].includes(day);
}

function nextBankDay(ms: number, isHoliday: (day: number) => boolean): number {
  let day = Math.floor(ms / DAY);
  while (weekday(day) === 0 || weekday(day) === 6 || isHoliday(day)) day += 1;
  return day;
}

const text = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

/** The first day from here on on which SEPA pays, `YYYY-MM-DD`. */
export const targetDay = (ms: number): string => text(nextBankDay(ms, isTargetHoliday));
/** The first day after this one on which US banks pay, `YYYY-MM-DD`. */
export const achDay = (ms: number): string => text(nextBankDay(ms + DAY, isFedHoliday));
