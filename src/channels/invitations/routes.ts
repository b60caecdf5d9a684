import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { rateToWire } from '../../core/rate.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  inviteResponse,
  inviteBody,
  inviteManagersBody,
  invitationPage,
  invitationQuery,
  managerInvitationPage,
} from './schemas.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { InvitationsService } from './service.js';
import type { InviteInput } from './types.js';

export interface RouteDeps {
  readonly invitations: InvitationsService;
  readonly groups: GroupsService;
}
const defineRoute = routesFor<RouteDeps>('invitations');
const defineManagerRoute = routesFor<RouteDeps>('managers');

export const invitationRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'invitations.list',
    method: 'get',
    paths: ['/invitations'],
    access: policies.section('affiliates'),
    summary: 'List invitations with their status',
    query: invitationQuery,
    response: invitationPage,
    handler: async ({ app, query, request }) => {
      const page = await app.invitations.list(query);
      const groups = await app.groups.findMany(page.rows.map(({ group_id: id }) => id));
      const rows = page.rows.map((row) => ({
        id: row.id,
        email: row.email,
        state: row.state,
        group_id: row.group_id,
        group: groups.get(row.group_id ?? 0)?.meta_key ?? null,
        rate_type: row.rate_type,
        rate: row.rate_e4 === null ? null : rateToWire(row.rate_e4),
        note: row.note,
        affiliate_id: row.affiliate_id,
        created_at: toIso(row.created_at),
        sent_at: toIso(row.sent_at),
        expires_at: toIso(row.expires_at),
      }));
      return { invitations: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
  defineRoute({
    id: 'invitations.create',
    method: 'post',
    paths: ['/invitations'],
    access: policies.messages,
    summary: 'Invite people to become affiliates. Each address is invited only once',
    body: inviteBody,
    response: inviteResponse,
    handler: async ({ app, body }) => {
      const outcome = await app.invitations.invite(body as InviteInput);
      return { message: 'Invitations are on their way.', ...outcome, left_out: [...outcome.left_out] };
    },
  }),
  defineRoute({
    id: 'invitations.resend',
    method: 'post',
    paths: ['/invitations/:id/resend'],
    access: policies.messages,
    summary: 'Resend an invitation. It is valid for another 14 days',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.invitations.resend(params.id);
      return { message: 'The invitation will be sent again.' };
    },
  }),
  defineRoute({
    id: 'invitations.withdraw',
    method: 'delete',
    paths: ['/invitations/:id'],
    access: policies.messages,
    summary: 'Withdraw an invitation. Its link stops working',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.invitations.withdraw(params.id);
      return { message: 'Invitation withdrawn.' };
    },
  }),
  defineManagerRoute({
    id: 'managers.invitations',
    method: 'get',
    paths: ['/settings/managers/invitations'],
    access: policies.admin,
    summary: 'List invitations for managers',
    query: invitationQuery,
    response: managerInvitationPage,
    handler: async ({ app, query, request }) => {
      const page = await app.invitations.list({ ...query, kind: 'manager' });
      const rows = page.rows.map(({ id, email, state, permissions, note, user_id, ...row }) => ({
        id,
        email,
        state,
        permissions: [...permissions],
        note,
        user_id,
        created_at: toIso(row.created_at),
        sent_at: toIso(row.sent_at),
        expires_at: toIso(row.expires_at),
      }));
      return { invitations: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
  defineManagerRoute({
    id: 'managers.invite',
    method: 'post',
    paths: ['/settings/managers/invitations'],
    access: policies.admin,
    summary: 'Invite people to become managers with these permissions. Each address is invited only once',
    body: inviteManagersBody,
    response: inviteResponse,
    handler: async ({ app, body }) => {
      const outcome = await app.invitations.inviteManagers(body);
      return { message: 'Invitations are on their way.', ...outcome, left_out: [...outcome.left_out] };
    },
  }),
  defineManagerRoute({
    id: 'managers.resend_invitation',
    method: 'post',
    paths: ['/settings/managers/invitations/:id/resend'],
    access: policies.admin,
    summary: "Resend a manager's invitation. It is valid for another 14 days",
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.invitations.resend(params.id, 'manager');
      return { message: 'The invitation will be sent again.' };
    },
  }),
  defineManagerRoute({
    id: 'managers.withdraw_invitation',
    method: 'delete',
    paths: ['/settings/managers/invitations/:id'],
    access: policies.admin,
    summary: "Withdraw a manager's invitation. Its link stops working",
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.invitations.withdraw(params.id, 'manager');
      return { message: 'Invitation withdrawn.' };
    },
  }),
];
