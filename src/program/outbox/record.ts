import { anyObject } from '../../core/dto-schema.js';
import { count, id, jsonOr, line, ref } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** What a worker reads of an entry it has claimed. The other columns are only set and compared. */
export const claimed = record('outbox', {
  id: id(),
  kind: line(),
  event: line(),
  event_id: ref(),
  payload: jsonOr<Readonly<Record<string, unknown>>>({}, anyObject),
  /** Failed tries so far. */
  attempts: count(),
});

export type DueEntry = RecordOf<typeof claimed>;
