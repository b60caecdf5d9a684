/** How far another clock may be ahead of ours. */
export const CLOCK_SKEW_MS = 300_000;

/**
 * A time in epoch milliseconds by the clock of another system. Nothing happens later than now, so a later
 * time counts as now. With `ahead`, times that are later by at most so much do not change, so two of them
 * remain in order.
 */
export const statedTime = (at: number, now: number, ahead = 0): number => (at > now + ahead ? now : at);
