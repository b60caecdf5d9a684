import { boot } from '../../shared/boot.js';

/** Monday is 1; 1970-01-05 was a Monday. */
export const weekdays = (): { value: string; label: string }[] =>
  [1, 2, 3, 4, 5, 6, 7].map((day) => ({
    value: String(day),
    label: new Intl.DateTimeFormat(boot().locale, { weekday: 'long', timeZone: 'UTC' }).format(
      new Date(Date.UTC(1970, 0, 4 + day)),
    ),
  }));
