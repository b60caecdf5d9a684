import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import type { Platform } from '../../platform/platform.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  announcementList,
  messageBody,
  messageList,
  messagePage,
  messageQuery,
  messageSent,
  previewResponse,
  previewBody,
  recipientPage,
  unsubscribeQuery,
} from './schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { MessagesService } from './service.js';
import type { Message } from './record.js';

export interface RouteDeps extends Platform {
  readonly messages: MessagesService;
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('messages');
const defineAffiliateRoute = routesFor<RouteDeps>('affiliates');
const definePortalRoute = routesFor<RouteDeps>('portal');

async function shown(app: RouteDeps, messages: readonly Message[]) {
  const senders = await app.users(messages.map(({ created_by: id }) => id));
  const sending = await app.messages.sending(messages);
  return messages.map(({ id, subject, body, status, recipients, portal_until, created_by, created_at }) => ({
    id,
    subject,
    body,
    status,
    recipients,
    portal_until: toIso(portal_until),
    is_sending: status === 'queued' || sending.has(id),
    sent_by: senders.get(created_by ?? 0)?.display_name ?? null,
    created_at: toIso(created_at),
  }));
}

export const messageRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'messages.list',
    method: 'get',
    paths: ['/messages'],
    access: policies.section('affiliates'),
    summary: 'List messages to affiliates',
    query: messageQuery,
    response: messagePage,
    handler: async ({ app, query, request }) => {
      const page = await app.messages.list(query);
      return { messages: pageEnvelope(request.url, { ...page, rows: await shown(app, page.rows) }) };
    },
  }),
  defineRoute({
    id: 'messages.recipients',
    method: 'get',
    paths: ['/messages/:id/recipients'],
    access: policies.section('affiliates'),
    summary: 'List the affiliates that a message went to',
    params: idParams,
    query: messageQuery,
    response: recipientPage,
    handler: async ({ app, params, query, request }) => {
      const page = await app.messages.recipientsOf(params.id, query);
      const affiliates = await app.affiliates.embed(page.rows);
      const rows = page.rows.flatMap((id) => affiliates.get(id) ?? []);
      return { recipients: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
  defineRoute({
    id: 'messages.send',
    method: 'post',
    paths: ['/messages'],
    access: policies.messages,
    summary:
      'Send a message to selected affiliates, a group, or all that match. Inactive affiliates are skipped',
    body: messageBody,
    response: messageSent,
    handler: async ({ app, body }) => {
      const [sent] = await shown(app, [await app.messages.send(body)]);
      return { message: 'The message is on its way.', sent: sent! };
    },
  }),
  defineRoute({
    id: 'messages.preview',
    method: 'post',
    paths: ['/messages/preview'],
    access: policies.messages,
    summary: 'Preview a message as a recipient would see it',
    body: previewBody,
    response: previewResponse,
    handler: ({ app, body: { affiliate_id: id, ...input } }) => app.messages.preview(input, id),
  }),
  defineRoute({
    id: 'messages.test',
    method: 'post',
    paths: ['/messages/test'],
    access: policies.messages,
    summary: 'Send a message to the signed-in user only',
    body: messageBody,
    response: messageResponse,
    handler: async ({ app, body, user }) => {
      await app.messages.sendTest(body, user.email);
      return { message: `A test mail is on its way to ${user.email}.` };
    },
  }),
  defineRoute({
    id: 'messages.unsubscribe',
    method: 'post',
    paths: ['/messages/unsubscribe'],
    access: policies.public,
    summary:
      'Unsubscribe the affiliate named by a signed key from messages. E-mail clients call this too (RFC 8058)',
    query: unsubscribeQuery,
    response: messageResponse,
    handler: async ({ app, query }) => {
      await app.messages.unsubscribe(query.key);
      return { message: 'You have unsubscribed from these messages.' };
    },
  }),
  defineAffiliateRoute({
    id: 'affiliates.messages',
    method: 'get',
    paths: ['/affiliates/:id/messages'],
    access: policies.section('affiliates'),
    summary: 'List the latest messages to an affiliate',
    params: idParams,
    response: messageList,
    handler: async ({ app, params }) => ({
      messages: await shown(app, await app.messages.historyOf(params.id)),
    }),
  }),
  definePortalRoute({
    id: 'portal.announcements',
    method: 'get',
    paths: ['/portal/announcements'],
    access: policies.signedIn,
    summary: "List the messages currently shown in the signed-in affiliate's portal",
    response: announcementList,
    handler: async ({ app, user }) => ({
      announcements: (await app.messages.announcements(user.id)).map(({ at, ...one }) => ({
        ...one,
        created_at: toIso(at),
      })),
    }),
  }),
];
