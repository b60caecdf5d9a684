import type { CreativeStatus } from './types.js';

interface CreativeSchedule {
  readonly status: CreativeStatus;
  readonly starts_at: number | null;
  readonly ends_at: number | null;
}

/** The status at an instant (docs/interface.md §10.4); the stored one may be from before its start or end. */
export function statusAt(
  { status, starts_at: start, ends_at: end }: CreativeSchedule,
  now: number,
): CreativeStatus {
  if (status !== 'scheduled' && status !== 'active') return status;
  if (end !== null && end <= now) return 'expired';
  return status === 'scheduled' && (start === null || start <= now) ? 'active' : status;
}

/** When the schedule changes this status next; null when it never does. */
export function nextDue({ status, starts_at: start, ends_at: end }: CreativeSchedule): number | null {
  if (status === 'scheduled') return start ?? end;
  return status === 'active' ? end : null;
}
