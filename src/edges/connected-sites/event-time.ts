const DAY = 86_400_000;

/**
 * When a report says it happened (`occurred_at`, Unix seconds):
 * not in the future and within the cookie's term, else it counts as now. Epoch milliseconds.
 */
export function happenedAt(
  seconds: number | undefined,
  { now, days }: { readonly now: number; readonly days: number },
): number {
  const at = seconds === undefined ? now : seconds * 1000;
  return at <= now && at >= now - days * DAY ? at : now;
}
