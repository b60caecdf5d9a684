import { DAY } from './duration.js';
import { CLOCK_SKEW_MS } from './stated-time.js';

/**
 * Can a click that lasts this many days have led to an order at this time (docs/tracking.md §5)? The times may come
 * from two clocks.
 */
export const isInAttributionWindow = (clickedAt: number, orderedAt: number, days: number): boolean =>
  clickedAt <= orderedAt + CLOCK_SKEW_MS && clickedAt >= orderedAt - days * DAY;
