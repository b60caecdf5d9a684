import { policies } from '../../platform/access/policies.js';
import { routesFor, type Call, type Route } from '../../platform/http/define-route.js';
import * as schemas from './schemas.js';
import type { ConnectedSitesService } from './service.js';

export interface RouteDeps {
  readonly connectedSites: ConnectedSitesService;
}
const defineRoute = routesFor<RouteDeps>('sites');

/** The guard lets only sites through. */
const senderOf = ({ site }: Pick<Call, 'site'>): string => site?.site_id ?? '';

/** The routes that connected sites call (docs/connected-sites.md §7). */
export const siteRequestRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'sites.handshake',
    method: 'get',
    paths: ['/connected-sites/handshake'],
    access: policies.site,
    summary: "Check a site's credentials and get its settings",
    response: schemas.handshakeResponse,
    handler: async (call) => call.app.connectedSites.handshake(senderOf(call)),
  }),
  defineRoute({
    id: 'sites.affiliate',
    method: 'get',
    paths: ['/connected-sites/affiliates/:param'],
    access: policies.site,
    summary: 'Find the affiliate for a tracked value',
    params: schemas.lookupParams,
    response: schemas.lookupResponse,
    handler: async ({ app, params }) => ({ affiliate: await app.connectedSites.affiliate(params.param) }),
  }),
  defineRoute({
    id: 'sites.visit',
    method: 'post',
    paths: ['/connected-sites/visits'],
    access: policies.site,
    summary: 'Report a visit',
    body: schemas.visitBody,
    response: schemas.visitResponse,
    handler: async (call) => call.app.connectedSites.recordVisit(senderOf(call), call.body),
  }),
  defineRoute({
    id: 'sites.conversion',
    method: 'post',
    paths: ['/connected-sites/referrals'],
    access: policies.site,
    summary: 'Report a conversion',
    body: schemas.conversionBody,
    response: schemas.conversionResponse,
    handler: async (call) => call.app.connectedSites.recordConversion(senderOf(call), call.body),
  }),
  defineRoute({
    id: 'sites.lead',
    method: 'post',
    paths: ['/connected-sites/leads'],
    access: policies.site,
    summary: 'Report a lead',
    body: schemas.leadBody,
    response: schemas.conversionResponse,
    handler: async (call) =>
      call.app.connectedSites.recordLead(senderOf(call), { ...call.body, kind: String(call.body.kind) }),
  }),
  defineRoute({
    id: 'sites.follow_up',
    method: 'patch',
    paths: ['/connected-sites/referrals/:reference'],
    access: policies.site,
    summary: 'Report that an order was paid, rejected or refunded',
    params: schemas.referenceParams,
    body: schemas.followUpBody,
    response: schemas.followUpResponse,
    handler: async (call) =>
      call.app.connectedSites.followUp(senderOf(call), call.params.reference, call.body),
  }),
];
