import { toIso } from '../../core/dates.js';
import { SECOND } from '../../core/duration.js';
import type { ProgressDto } from '../api-schemas.js';
import type { Operation } from './types.js';

/** How far an operation is, and why it was stopped. */
export function presentProgress(operation: Operation, now: number): ProgressDto {
  const { done, total, reason, message, started_at: startedAt, seen_at: seenAt } = operation;
  const seconds = (now - startedAt) / SECOND;
  const rate = done === 0 || seconds <= 0 ? null : done / seconds;
  return {
    done,
    total,
    per_second: rate === null ? null : Math.round(rate * 10) / 10,
    seconds_left: rate === null ? null : Math.ceil(Math.max(0, total - done) / rate),
    reason,
    message,
    started_at: toIso(startedAt),
    seen_at: toIso(seenAt),
  };
}
