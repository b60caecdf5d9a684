import { id, json, line, ref, text, time } from '../../records/fields.js';
import { record } from '../../records/record.js';

/** Entries of the audit log. */
export const entries = record('audit', {
  id: id({ sort: true }),
  actor_id: ref(),
  api_key_id: ref(),
  action: line(),
  object_type: line(),
  object_id: text(),
  before: json<unknown>(),
  after: json<unknown>(),
  request_id: text(),
  created_at: time(),
});
