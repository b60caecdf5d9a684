import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { reply } from '../../platform/http/reply.js';
import { presentConfig, presentIssued, presentSite } from './presenter.js';
import {
  configResponse,
  configSaved,
  disconnectBody,
  issueBody,
  issued,
  siteSaved,
  statusBody,
  tested,
  updateBody,
} from './schemas.js';
import { REVISION, STATUS, type ConnectedSitesService } from './service.js';
import { siteRequestRoutes } from './site-routes.js';
import { messageResponse } from '../../platform/http/responses.js';

export interface RouteDeps {
  readonly connectedSites: ConnectedSitesService;
}
const defineRoute = routesFor<RouteDeps>('sites');

const SETTINGS = [REVISION, STATUS];

/** The other one is how the first documents of this interface spell it; clients written after them use it. */
const both = (suffix: '' | `/${string}`): readonly [`/${string}`, `/${string}`] => [
  `/settings/connected-sites-config${suffix}`,
  `/connected-sitesconnected-sites-config${suffix}`,
];

export const connectedSiteRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'sites.config',
    method: 'get',
    paths: both(''),
    access: policies.settings,
    summary: 'List the connected sites',
    settings: SETTINGS,
    response: configResponse,
    handler: async ({ app }) => ({ config: presentConfig(await app.connectedSites.config()) }),
  }),
  defineRoute({
    id: 'sites.status',
    method: 'patch',
    paths: both(''),
    access: policies.settingsOfPeople,
    summary: 'Turn connected sites on or off',
    settings: SETTINGS,
    body: statusBody,
    response: configSaved,
    handler: async ({ app, body }) => ({
      message: 'Settings saved.',
      config: presentConfig(await app.connectedSites.setStatus(body.status)),
    }),
  }),
  defineRoute({
    id: 'sites.update',
    method: 'patch',
    paths: both('/update'),
    access: policies.settingsOfPeople,
    summary: 'Update a connected site',
    settings: SETTINGS,
    body: updateBody,
    response: siteSaved,
    handler: async ({ app, body, request }) => {
      const site = await app.connectedSites.update(String(body.site_id), body.data ?? request.submitted);
      return { message: 'Site updated.', site: presentSite(site) };
    },
  }),
  defineRoute({
    id: 'sites.issue',
    method: 'post',
    paths: both('/issue'),
    access: policies.settingsOfPeople,
    summary: 'Connect a site, or issue a new token for it',
    body: issueBody,
    response: issued,
    secret: true,
    handler: async ({ app, body }) =>
      reply(presentIssued(await app.connectedSites.issue(body), app.connectedSites.primary()), {
        headers: { 'Cache-Control': 'no-store' },
      }),
  }),
  defineRoute({
    id: 'sites.disconnect',
    method: 'post',
    paths: both('/disconnect'),
    access: policies.settings,
    summary: 'Disconnect a site',
    body: disconnectBody,
    response: messageResponse,
    handler: async ({ app, body }) => {
      await app.connectedSites.disconnect(String(body.site_id));
      return { message: 'Site disconnected.' };
    },
  }),
  defineRoute({
    id: 'sites.test',
    method: 'post',
    paths: both('/test'),
    access: policies.settings,
    summary: 'Check the connection to a connected site',
    body: disconnectBody,
    response: tested,
    handler: async ({ app, body }) => ({ reachable: await app.connectedSites.test(String(body.site_id)) }),
  }),
  ...siteRequestRoutes,
];
