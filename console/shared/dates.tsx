import type { ReactNode } from 'react';
import { boot } from './boot.js';

const style = (timeZone: string, withTime: boolean): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(boot().locale, {
    dateStyle: 'medium',
    ...(withTime && { timeStyle: 'short' }),
    timeZone,
  });

/** Date and time in the site's time zone. */
export const dateTime = (iso: string): string => style(boot().program.timeZone, true).format(new Date(iso));
export const date = (iso: string): string => style(boot().program.timeZone, false).format(new Date(iso));

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** "3 hours ago" within a week, otherwise null. */
function relative(time: number): string | null {
  const passed = time - Date.now();
  if (Math.abs(passed) > 7 * 86_400_000) return null;
  const words = new Intl.RelativeTimeFormat(boot().locale, { numeric: 'auto' });
  for (const [unit, length] of UNITS)
    if (Math.abs(passed) >= length) return words.format(Math.trunc(passed / length), unit);
  return words.format(0, 'minute');
}

/** The time in the site's time zone, and in the user's if it differs. */
export function bothZones(at: string): string {
  const { timeZone } = boot().program;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const there = `${dateTime(at)} (${timeZone})`;
  return own === timeZone ? there : `${there} · ${style(own, true).format(new Date(at))} (${own})`;
}

/**
 * A time: relative within a week, otherwise and on paper the date in the site's time zone, with both time zones in
 * the hint. `full` shows date and time, `day` the date.
 */
export function DateTime({
  at,
  full = false,
  day = false,
}: {
  at: string | null | undefined;
  full?: boolean;
  day?: boolean;
}): ReactNode {
  if (at === null || at === undefined || at === '') return <span className="fa-faint">—</span>;
  const near = full || day ? null : relative(new Date(at).getTime());
  return (
    <time dateTime={at} data-hint={bothZones(at)} data-paper={near === null ? undefined : date(at)}>
      {near ?? (full ? dateTime(at) : date(at))}
    </time>
  );
}

/** Today in the site's time zone plus `days`, as `YYYY-MM-DD`. */
export function siteDay(offset = 0): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: boot().program.timeZone }).format(new Date());
  return moveDay(today, offset);
}

export const moveDay = (day: string, offset: number): string =>
  new Date(Date.parse(`${day}T12:00:00Z`) + offset * 86_400_000).toISOString().slice(0, 10);

/** A formatted calendar day, independent of time zones. */
export const dayText = (day: string, short = false): string =>
  new Intl.DateTimeFormat(
    boot().locale,
    short ? { day: 'numeric', month: 'short', timeZone: 'UTC' } : { dateStyle: 'medium', timeZone: 'UTC' },
  ).format(new Date(`${day}T12:00:00Z`));

/** Two calendar days and what is between them: "Oct 1 – 31, 2026". */
export const daysText = (from: string, to: string): string =>
  new Intl.DateTimeFormat(boot().locale, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    new Date(`${from}T12:00:00Z`),
    new Date(`${to}T12:00:00Z`),
  );

/** A month such as `2026-11`: "Nov 2026". */
export const monthText = (month: string): string =>
  new Intl.DateTimeFormat(boot().locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-15T12:00:00Z`),
  );
