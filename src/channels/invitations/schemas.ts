import {
  array,
  dateTime,
  filterWord,
  Id,
  integer,
  deferred,
  listQuery,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
  textarea,
} from '../../platform/http/schema.js';
import { numberOrText } from '../../core/dto-schema.js';
import { INVITATION_STATES, LEFT_OUT_REASONS } from './types.js';

const EMAILS_MAX = 500;
export const inviteBody = object({
  emails: array(text(254), { maxItems: EMAILS_MAX }),
  group_id: optional(nullable(Id)),
  rate_type: optional(oneOf('default', 'percentage', 'flat')),
  rate: optional(deferred(numberOrText)),
  note: optional(nullable(textarea(2000))),
});
export const inviteResponse = object({
  message: string,
  invited: integer,
  left_out: array(object({ email: string, reason: oneOf(...LEFT_OUT_REASONS) })),
});

const invitation = object({
  id: integer,
  email: string,
  state: oneOf(...INVITATION_STATES),
  group_id: nullable(integer),
  group: nullable(string),
  rate_type: string,
  rate: nullable(number),
  note: nullable(string),
  affiliate_id: nullable(integer),
  created_at: dateTime,
  sent_at: dateTime,
  expires_at: dateTime,
});
export const invitationQuery = listQuery(20, { state: filterWord });
export const invitationPage = object({ invitations: pageOf(invitation) });

export const inviteManagersBody = object({
  emails: array(text(254), { maxItems: EMAILS_MAX }),
  permissions: array(string, { maxItems: 50 }),
  note: optional(nullable(textarea(2000))),
});
export const managerInvitationPage = object({
  invitations: pageOf(
    object({
      id: integer,
      email: string,
      state: oneOf(...INVITATION_STATES),
      permissions: array(string),
      note: nullable(string),
      user_id: nullable(integer),
      created_at: dateTime,
      sent_at: dateTime,
      expires_at: dateTime,
    }),
  ),
});
