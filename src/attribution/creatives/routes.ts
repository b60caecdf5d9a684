import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { reply } from '../../platform/http/reply.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { object, string, text } from '../../platform/http/schema.js';
import { PICTURE_TYPES } from '../../core/picture.js';
import { PICTURE_BYTES } from './pictures.js';
import {
  CREATIVE_COLUMNS,
  creativeForm,
  creativeList,
  creativePatch,
  creativeRecord,
  materialRow,
  pictureStored,
  portalList,
  portalRow,
} from './schemas.js';
import type { CreativesService } from './service.js';

export interface RouteDeps {
  readonly creatives: CreativesService;
}
const defineRoute = routesFor<RouteDeps>('creatives');
const creatives = resourcesFor<RouteDeps>('creatives');
const portal = resourcesFor<RouteDeps>('portal');

/** The documented path first; the other one, used by the admin client, is its alias. */
const paths = ['/creatives/creatives', '/settings/creatives'] as const;

const formParts = ['affiliate_ids', 'group_ids'].map(
  (name) => ({ name, sentWith: 'privacy', kind: 'list' }) as const,
);

export const creativeRoutes: readonly Route<RouteDeps>[] = [
  ...creatives.lists({
    paths,
    access: policies.settings,
    name: 'creatives',
    row: creativeRecord,
    query: creativeList,
    of: ({ app }) => app.creatives,
    list: { id: 'creatives.list', summary: 'List creatives' },
    export: {
      id: 'creatives.export',
      summary: 'Export creatives as CSV or JSON rows',
      columns: CREATIVE_COLUMNS,
      escaped: ['name', 'description'],
    },
  }),
  ...creatives.records({
    paths,
    access: policies.settings,
    name: 'creative',
    record: creativeRecord,
    of: ({ app }) => app.creatives,
    create: {
      id: 'creatives.create',
      summary: 'Create a creative',
      body: creativeForm,
      formParts,
      message: 'Creative created.',
    },
    get: { id: 'creatives.get', summary: 'Get a creative' },
    update: {
      id: 'creatives.update',
      summary: 'Update a creative',
      body: creativePatch,
      formParts,
      message: 'Creative saved.',
    },
    remove: { id: 'creatives.delete', summary: 'Delete a creative', message: 'Creative deleted.' },
  }),
  defineRoute({
    id: 'creatives.upload',
    method: 'post',
    paths: ['/creatives/creatives/pictures', '/settings/creatives/pictures'],
    access: policies.settings,
    summary: 'Upload a picture as the request body: PNG, JPEG, GIF or WebP, up to 5 MiB',
    accepts: { raw: true, bytes: PICTURE_BYTES },
    response: pictureStored,
    handler: async ({ app, request }) => ({
      picture: await app.creatives.pictures.store(request.rawBody ?? Buffer.alloc(0)),
      message: 'Picture uploaded.',
    }),
  }),
  defineRoute({
    id: 'creatives.file',
    method: 'get',
    paths: ['/files/:name'],
    access: policies.public,
    summary: 'Get an uploaded picture',
    params: object({ name: text(100) }),
    response: string,
    files: Object.keys(PICTURE_TYPES),
    handler: async ({ app, params }) => {
      const { type, bytes } = await app.creatives.pictures.read(params.name);
      return reply(bytes, {
        headers: {
          'Content-Type': type,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': 'public, max-age=31536000, immutable',
        },
      });
    },
  }),
  portal.page({
    id: 'portal.creatives',
    paths: ['/creativescreatives', '/portal/creatives'],
    access: policies.signedIn,
    summary: 'List the creatives of the signed-in affiliate',
    name: 'creatives',
    row: portalRow,
    query: portalList,
    page: ({ app, user, query }) => app.creatives.listForUser(user.id, query),
  }),
  portal.page({
    id: 'portal.material',
    paths: ['/portal/material'],
    access: policies.signedIn,
    summary: 'List the creatives of the signed-in affiliate with their links and HTML code',
    name: 'material',
    row: materialRow,
    query: portalList,
    page: ({ app, user, query }) => app.creatives.materialForUser(user.id, query),
  }),
];
