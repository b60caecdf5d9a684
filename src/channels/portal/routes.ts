import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { reply } from '../../platform/http/reply.js';
import {
  bootstrapResponse,
  linkResponse,
  linkQuery,
  pageQuery,
  qrResponse,
  qrQuery,
  referralPage,
  settingsResponse,
  settingsBody,
  statsResponse,
  transactionPage,
  visitPage,
} from './schemas.js';
import { messageResponse } from '../../api-schemas.js';
import type { PortalService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly portal: PortalService;
}
const defineRoute = routesFor<RouteDeps>('portal');

const access = policies.signedIn;

export const portalRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'portal.stats',
    method: 'get',
    paths: ['/portalstats', '/portal/stats'],
    access,
    summary: 'Get the figures of the signed-in affiliate',
    response: statsResponse,
    handler: async ({ app, user }) => app.portal.stats(user),
  }),
  defineRoute({
    id: 'portal.referrals',
    method: 'get',
    paths: ['/portal/referrals', '/portalreferrals'],
    access,
    summary: 'List the referrals of the signed-in affiliate',
    query: pageQuery,
    response: referralPage,
    handler: async ({ app, user, query, request }) => ({
      referrals: pageEnvelope(request.url, await app.portal.referrals(user, query)),
    }),
  }),
  defineRoute({
    id: 'portal.transactions',
    method: 'get',
    paths: ['/portaltransactions', '/portal/transactions'],
    access,
    summary: 'List the payments to the signed-in affiliate',
    query: pageQuery,
    response: transactionPage,
    handler: async ({ app, user, query }) => {
      const { rows: data, total, per_page, page } = await app.portal.transactions(user, query);
      return { transactions: { data, total, per_page, current_page: page } };
    },
  }),
  defineRoute({
    id: 'portal.visits',
    method: 'get',
    paths: ['/portalvisits', '/portal/visits'],
    access,
    summary: 'List the visits of the signed-in affiliate',
    query: pageQuery,
    response: visitPage,
    handler: async ({ app, user, query, request }) => ({
      visits: pageEnvelope(request.url, await app.portal.visits(user, query)),
    }),
  }),
  defineRoute({
    id: 'portal.settings',
    method: 'get',
    paths: ['/portalsettings', '/portal/settings'],
    access,
    summary: 'Get the settings form of the signed-in affiliate',
    response: settingsResponse,
    handler: async ({ app, user }) => app.portal.settings(user),
  }),
  defineRoute({
    id: 'portal.save_settings',
    method: 'post',
    paths: ['/portalsettings', '/portal/settings'],
    access,
    summary: 'Save the settings of the signed-in affiliate',
    body: settingsBody,
    formParts: async (_fields, app) => app.portal.formParts(),
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
    summary: 'Get the data that the portal app starts with',
    response: bootstrapResponse,
    handler: async ({ app, user }) => app.portal.bootstrap(user),
  }),
  defineRoute({
    id: 'portal.links',
    method: 'get',
    paths: ['/portal/links'],
    access,
    summary: 'List the links of the signed-in affiliate and where to share them',
    query: linkQuery,
    response: linkResponse,
    handler: async ({ app, user, query }) => app.portal.links(user, query.url || undefined),
  }),
  defineRoute({
    id: 'portal.qr_code',
    method: 'get',
    paths: ['/portal/qr-code'],
    access,
    summary: 'Get a link of the signed-in affiliate as a QR code',
    query: qrQuery,
    response: qrResponse,
    files: ['image/svg+xml', 'image/png'],
    handler: async ({ app, user, query }) => {
      const { type, data } = await app.portal.qrCode(user, query);
      return reply(data, { headers: { 'Content-Type': type } });
    },
  }),
];
