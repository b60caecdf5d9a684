import { array, string } from '../../core/dto-schema.js';
import { id, jsonOr, line, rate, ref, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

export const invitations = record('invitations', {
  id: id(),
  kind: word(['affiliate', 'manager']),
  email: line(),
  status: word(['open', 'accepted', 'withdrawn']),
  group_id: ref(),
  rate_type: word(['default', 'group', 'percentage', 'flat']),
  rate_e4: rate(),
  note: text(),
  permissions: jsonOr<readonly string[]>([], array(string)),
  affiliate_id: ref(),
  user_id: ref(),
  created_by: ref(),
  created_at: time(),
  sent_at: time(),
  expires_at: time(),
});

export type Invitation = RecordOf<typeof invitations>;
