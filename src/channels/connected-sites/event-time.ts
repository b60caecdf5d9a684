import { statedTime } from '../../core/stated-time.js';
import { DAY } from '../../core/duration.js';

/**
 * The time of a report's event (`occurred_at`, Unix seconds). Times in the future, or older than the cookie
 * lasts, count as now. Epoch milliseconds.
 */
export function happenedAt(
  seconds: number | undefined,
  { now, days }: { readonly now: number; readonly days: number },
): number {
  const at = seconds === undefined ? now : statedTime(seconds * 1000, now);
  return at >= now - days * DAY ? at : now;
}
