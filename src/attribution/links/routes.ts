import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  LINK_COLUMNS,
  linkList,
  linkPatch,
  linkRecord,
  linkSaved,
  newLink,
  ownLink,
  ownList,
} from './schemas.js';
import type { LinksService } from './service.js';

export interface RouteDeps {
  readonly links: LinksService;
}
const links = resourcesFor<RouteDeps>('links');
const portal = resourcesFor<RouteDeps>('portal');
const definePortalRoute = routesFor<RouteDeps>('portal');

export const linkRoutes: readonly Route<RouteDeps>[] = [
  ...links.lists({
    paths: ['/settings/links'],
    access: policies.settings,
    name: 'links',
    row: linkRecord,
    query: linkList,
    of: ({ app }) => app.links,
    list: { id: 'links.list', summary: 'List redirect links' },
    export: {
      id: 'links.export',
      summary: 'Export redirect links as CSV or JSON rows',
      columns: LINK_COLUMNS,
      escaped: ['affiliate_name', 'utm_campaign'],
    },
  }),
  ...links.records({
    paths: ['/settings/links'],
    access: policies.settings,
    name: 'link',
    record: linkRecord,
    of: ({ app }) => app.links,
    create: {
      id: 'links.create',
      summary: 'Create a redirect link for an affiliate',
      body: newLink,
      message: 'Link created.',
    },
    get: { id: 'links.get', summary: 'Get a redirect link' },
    update: {
      id: 'links.update',
      summary: 'Update a redirect link',
      body: linkPatch,
      message: 'Link saved.',
    },
    remove: { id: 'links.delete', summary: 'Delete a redirect link', message: 'Link deleted.' },
  }),
  portal.page({
    id: 'portal.redirect_links',
    paths: ['/portal/redirect-links'],
    access: policies.signedIn,
    summary: 'List the redirect links of the signed-in affiliate',
    name: 'links',
    row: linkRecord,
    query: ownList,
    page: ({ app, user, query }) => app.links.listForUser(user.id, query),
  }),
  definePortalRoute({
    id: 'portal.create_redirect_link',
    method: 'post',
    paths: ['/portal/redirect-links'],
    access: policies.signedIn,
    summary: 'Create a redirect link for the signed-in affiliate',
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
