import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { reply } from '../../platform/http/reply.js';
import { resourcesFor } from '../../platform/http/resource.js';
import * as schemas from './schemas.js';
import { messageResponse } from '../../platform/http/responses.js';
import type { PortalService } from './service.js';

export interface RouteDeps {
  readonly portal: PortalService;
}
const defineRoute = routesFor<RouteDeps>('portal');
const portal = resourcesFor<RouteDeps>('portal');

const access = policies.signedIn;

export const portalRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'portal.stats',
    method: 'get',
    paths: ['/portalstats', '/portal/stats'],
    access,
    summary: 'Get the statistics of the signed-in affiliate',
    response: schemas.statsResponse,
    handler: async ({ app, user }) => app.portal.lists.stats(await app.portal.own(user)),
  }),
  portal.page({
    id: 'portal.referrals',
    paths: ['/portal/referrals', '/portalreferrals'],
    access,
    summary: 'List the referrals of the signed-in affiliate',
    query: schemas.pageQuery,
    name: 'referrals',
    row: schemas.shownReferral,
    page: async ({ app, user, query }) => app.portal.lists.referrals(await app.portal.own(user), query),
  }),
  defineRoute({
    id: 'portal.transactions',
    method: 'get',
    paths: ['/portaltransactions', '/portal/transactions'],
    access,
    summary: 'List the payments to the signed-in affiliate',
    query: schemas.pageQuery,
    response: schemas.transactionPage,
    handler: async ({ app, user, query }) => {
      const {
        rows: data,
        total,
        per_page,
        page,
      } = await app.portal.lists.transactions(await app.portal.own(user), query);
      return { transactions: { data, total, per_page, current_page: page } };
    },
  }),
  portal.page({
    id: 'portal.visits',
    paths: ['/portalvisits', '/portal/visits'],
    access,
    summary: 'List the visits of the signed-in affiliate',
    query: schemas.pageQuery,
    name: 'visits',
    row: schemas.shownVisit,
    page: async ({ app, user, query }) => app.portal.lists.visits(await app.portal.own(user), query),
  }),
  defineRoute({
    id: 'portal.settings',
    method: 'get',
    paths: ['/portalsettings', '/portal/settings'],
    access,
    summary: 'Get the settings form of the signed-in affiliate',
    response: schemas.settingsResponse,
    handler: async ({ app, user }) => app.portal.form.read(await app.portal.own(user)),
  }),
  defineRoute({
    id: 'portal.save_settings',
    method: 'post',
    paths: ['/portalsettings', '/portal/settings'],
    access,
    summary: 'Update the settings of the signed-in affiliate',
    body: schemas.settingsBody,
    formParts: async (_fields, app) => app.portal.form.formParts(),
    response: messageResponse,
    handler: async ({ app, user, body, request }) => {
      await app.portal.saveSettings(user, body.settings, request.ip);
      return { message: 'Settings saved.' };
    },
  }),
  defineRoute({
    id: 'portal.bootstrap',
    method: 'get',
    paths: ['/portal/bootstrap'],
    access,
    summary: 'Get the data the portal needs to start',
    response: schemas.bootstrapResponse,
    handler: async ({ app, user }) => app.portal.bootstrap(user),
  }),
  defineRoute({
    id: 'portal.links',
    method: 'get',
    paths: ['/portal/links'],
    access,
    summary: "List the signed-in affiliate's links and the platforms to share them on",
    query: schemas.linkQuery,
    response: schemas.linkResponse,
    handler: async ({ app, user, query }) => app.portal.links(user, query.url || undefined),
  }),
  defineRoute({
    id: 'portal.qr_code',
    method: 'get',
    paths: ['/portal/qr-code'],
    access,
    summary: 'Get a QR code for a link of the signed-in affiliate',
    query: schemas.qrQuery,
    response: schemas.qrResponse,
    files: ['image/svg+xml', 'image/png'],
    handler: async ({ app, user, query }) => {
      const { type, data } = await app.portal.qrCode(user, query);
      return reply(data, { headers: { 'Content-Type': type } });
    },
  }),
];
