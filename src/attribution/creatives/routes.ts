import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { reply } from '../../platform/http/reply.js';
import { idParams, object, string, text } from '../../platform/http/schema.js';
import { PICTURE_TYPES } from '../../core/picture.js';
import { PICTURE_BYTES } from './pictures.js';
import { messageResponse } from '../../api-schemas.js';
import {
  CREATIVE_COLUMNS,
  creativeResponse,
  creativeExport,
  creativeForm,
  creativePatch,
  creativeList,
  creativePage,
  creativeSaved,
  pictureStored,
  portalList,
  materialPage,
  portalPage,
} from './schemas.js';
import type { CreativesService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly creatives: CreativesService;
}
const defineRoute = routesFor<RouteDeps>('creatives');
const definePortalRoute = routesFor<RouteDeps>('portal');

/** The documented path first; the other one, used by the admin client, is its alias. */
const both = (suffix: '' | `/${string}`): readonly [`/${string}`, `/${string}`] => [
  `/creatives/creatives${suffix}`,
  `/settings/creatives${suffix}`,
];

const formParts = ['affiliate_ids', 'group_ids'].map(
  (name) => ({ name, beside: 'privacy', kind: 'list' }) as const,
);

export const creativeRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'creatives.list',
    method: 'get',
    paths: both(''),
    access: policies.settings,
    summary: 'List creatives',
    query: creativeList,
    response: creativePage,
    handler: async ({ app, query, request }) => ({
      creatives: pageEnvelope(request.url, await app.creatives.list(query)),
    }),
  }),
  defineRoute({
    id: 'creatives.export',
    method: 'get',
    paths: both('/export'),
    access: policies.settings,
    summary: 'Export creatives as CSV or JSON rows',
    query: creativeList,
    response: creativeExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'creatives',
        columns: CREATIVE_COLUMNS,
        escaped: ['name', 'description'],
        ...(await app.creatives.export(query)),
      }),
  }),
  defineRoute({
    id: 'creatives.create',
    method: 'post',
    paths: both(''),
    access: policies.settings,
    summary: 'Create a creative',
    body: creativeForm,
    formParts,
    response: creativeSaved,
    handler: async (call) => ({
      creative: call.app.creatives.present(await call.app.creatives.create(call.body)),
      message: 'Creative created.',
    }),
  }),
  defineRoute({
    id: 'creatives.get',
    method: 'get',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Get a creative',
    params: idParams,
    response: creativeResponse,
    handler: async ({ app, params }) => ({
      creative: app.creatives.present(await app.creatives.get(params.id)),
    }),
  }),
  defineRoute({
    id: 'creatives.update',
    method: 'patch',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Change fields of a creative',
    params: idParams,
    body: creativePatch,
    formParts,
    response: creativeSaved,
    handler: async (call) => ({
      creative: call.app.creatives.present(await call.app.creatives.update(call.params.id, call.body)),
      message: 'Creative saved.',
    }),
  }),
  defineRoute({
    id: 'creatives.delete',
    method: 'delete',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Delete a creative',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.creatives.remove(params.id);
      return { message: 'Creative deleted.' };
    },
  }),
  defineRoute({
    id: 'creatives.upload',
    method: 'post',
    paths: both('/pictures'),
    access: policies.settings,
    summary: 'Upload a picture as the body of the request: PNG, JPEG, GIF or WebP, up to 5 MiB',
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
  definePortalRoute({
    id: 'portal.creatives',
    method: 'get',
    paths: ['/creativescreatives', '/portal/creatives'],
    access: policies.signedIn,
    summary: 'List the creatives of the signed-in affiliate',
    query: portalList,
    response: portalPage,
    handler: async ({ app, user, query, request }) => ({
      creatives: pageEnvelope(request.url, await app.creatives.listForUser(user.id, query)),
    }),
  }),
  definePortalRoute({
    id: 'portal.material',
    method: 'get',
    paths: ['/portal/material'],
    access: policies.signedIn,
    summary: 'List the creatives of the signed-in affiliate with links and code to paste',
    query: portalList,
    response: materialPage,
    handler: async ({ app, user, query, request }) => ({
      material: pageEnvelope(request.url, await app.creatives.materialForUser(user.id, query)),
    }),
  }),
];
