import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../api-schemas.js';
import {
  LINK_COLUMNS,
  linkResponse,
  linkExport,
  linkList,
  linkPage,
  linkPatch,
  linkSaved,
  newLink,
  ownLink,
  ownList,
} from './schemas.js';
import type { LinksService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly links: LinksService;
}
const defineRoute = routesFor<RouteDeps>('links');
const definePortalRoute = routesFor<RouteDeps>('portal');

export const linkRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'links.list',
    method: 'get',
    paths: ['/settings/links'],
    access: policies.settings,
    summary: 'List redirect links',
    query: linkList,
    response: linkPage,
    handler: async ({ app, query, request }) => ({
      links: pageEnvelope(request.url, await app.links.list(query)),
    }),
  }),
  defineRoute({
    id: 'links.export',
    method: 'get',
    paths: ['/settings/links/export'],
    access: policies.settings,
    summary: 'Export redirect links as CSV or JSON rows',
    query: linkList,
    response: linkExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'links',
        columns: LINK_COLUMNS,
        escaped: ['affiliate_name', 'utm_campaign'],
        ...(await app.links.export(query)),
      }),
  }),
  defineRoute({
    id: 'links.create',
    method: 'post',
    paths: ['/settings/links'],
    access: policies.settings,
    summary: 'Create a redirect link of an affiliate',
    body: newLink,
    response: linkSaved,
    handler: async ({ app, body }) => ({
      link: await app.links.present(await app.links.create(body)),
      message: 'Link created.',
    }),
  }),
  defineRoute({
    id: 'links.get',
    method: 'get',
    paths: ['/settings/links/:id'],
    access: policies.settings,
    summary: 'Get a redirect link',
    params: idParams,
    response: linkResponse,
    handler: async ({ app, params }) => ({ link: await app.links.present(await app.links.get(params.id)) }),
  }),
  defineRoute({
    id: 'links.update',
    method: 'patch',
    paths: ['/settings/links/:id'],
    access: policies.settings,
    summary: 'Change a redirect link',
    params: idParams,
    body: linkPatch,
    response: linkSaved,
    handler: async ({ app, params, body }) => ({
      link: await app.links.present(await app.links.update(params.id, body)),
      message: 'Link saved.',
    }),
  }),
  defineRoute({
    id: 'links.delete',
    method: 'delete',
    paths: ['/settings/links/:id'],
    access: policies.settings,
    summary: 'Delete a redirect link',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.links.remove(params.id);
      return { message: 'Link deleted.' };
    },
  }),
  definePortalRoute({
    id: 'portal.redirect_links',
    method: 'get',
    paths: ['/portal/redirect-links'],
    access: policies.signedIn,
    summary: 'List the redirect links of the signed-in affiliate',
    query: ownList,
    response: linkPage,
    handler: async ({ app, user, query, request }) => ({
      links: pageEnvelope(request.url, await app.links.listForUser(user.id, query)),
    }),
  }),
  definePortalRoute({
    id: 'portal.create_redirect_link',
    method: 'post',
    paths: ['/portal/redirect-links'],
    access: policies.signedIn,
    summary: 'Create a redirect link of the signed-in affiliate',
    body: ownLink,
    response: linkSaved,
    handler: async ({ app, user, body }) => ({
      link: await app.links.present(await app.links.createForUser(user.id, body)),
      message: 'Link created.',
    }),
  }),
  definePortalRoute({
    id: 'portal.delete_redirect_link',
    method: 'delete',
    paths: ['/portal/redirect-links/:id'],
    access: policies.signedIn,
    summary: 'Delete a redirect link of the signed-in affiliate',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, user, params }) => {
      await app.links.removeForUser(user.id, params.id);
      return { message: 'Link deleted.' };
    },
  }),
];
