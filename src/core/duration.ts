// Lengths of time in milliseconds.
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
/** In every time zone, days begin at a full quarter of an hour. */
export const QUARTER_HOUR = 15 * MINUTE;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
