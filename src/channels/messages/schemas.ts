import {
  anyObject,
  array,
  boolean,
  dateTime,
  html,
  Id,
  idList,
  integer,
  deferred,
  listQuery,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { nestedAffiliate } from '../../program/api-schemas.js';

const audience = object({
  ids: optional(idList),
  group_id: optional(Id),
  matching: optional(object({ search: optional(text(255)), filters: optional(deferred(anyObject)) })),
});
export const messageBody = object({
  subject: text(255),
  body: html(),
  audience,
  portal_days: optional(nullable(Type.Integer({ minimum: 0, maximum: 365 }))),
});
export const previewBody = object({ ...messageBody.properties, affiliate_id: optional(Id) });
export const previewResponse = object({ to: string, subject: string, html: string, recipients: integer });

const message = object({
  id: integer,
  subject: string,
  body: string,
  status: oneOf('queued', 'done'),
  recipients: integer,
  portal_until: nullable(dateTime),
  sent_by: nullable(string),
  /** Mails of the message wait in the outbox. */
  is_sending: boolean,
  created_at: dateTime,
});
export const messageQuery = listQuery(20, {});
export const messagePage = object({ messages: pageOf(message) });
export const messageList = object({ messages: array(message) });
export const messageSent = object({ message: string, sent: message });
export const recipientPage = object({ recipients: pageOf(nestedAffiliate) });
export const announcementList = object({
  announcements: array(object({ id: integer, subject: string, html: string, created_at: dateTime })),
});
export const unsubscribeQuery = object({ key: text(100, 1) });
