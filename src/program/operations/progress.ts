import type { Static } from 'typebox';
import { toIso } from '../../core/dates.js';
import { SECOND } from '../../core/duration.js';
import { dateTime, integer, nullable, number, object, string } from '../../platform/http/schema.js';
import type { Operation } from './types.js';

/** How far an operation is, and why it was stopped: part of each response that lists operations. */
export const progressFields = {
  done: integer,
  total: integer,
  /** Null while it is unknown. */
  per_second: nullable(number),
  /** For the rest, at the rate so far. */
  seconds_left: nullable(integer),
  /** The code of the error that stopped it. */
  reason: nullable(string),
  /** The sentence of that error, if it is meant for people. */
  message: nullable(string),
  started_at: dateTime,
  seen_at: dateTime,
};
const progress = object(progressFields);
type ProgressDto = Static<typeof progress>;

export function progressDto(operation: Operation, now: number): ProgressDto {
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
