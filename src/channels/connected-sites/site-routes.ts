import { policies } from '../../platform/access/policies.js';
import { routesFor, type Call, type Route } from '../../platform/http/define-route.js';
import {
  conversionResponse,
  conversionBody,
  followUpResponse,
  followUpBody,
  handshakeResponse,
  leadBody,
  lookupResponse,
  lookupParams,
  referenceParams,
  visitResponse,
  visitBody,
} from './schemas.js';
import type { SitesService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly sites: SitesService;
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
    response: handshakeResponse,
    handler: async (call) => call.app.sites.handshake(senderOf(call)),
  }),
  defineRoute({
    id: 'sites.affiliate',
    method: 'get',
    paths: ['/connected-sites/affiliates/:param'],
    access: policies.site,
    summary: 'Find the affiliate of a tracked value',
    params: lookupParams,
    response: lookupResponse,
    handler: async ({ app, params }) => ({ affiliate: await app.sites.affiliate(params.param) }),
  }),
  defineRoute({
    id: 'sites.visit',
    method: 'post',
    paths: ['/connected-sites/visits'],
    access: policies.site,
    summary: 'Report a visit',
    body: visitBody,
    response: visitResponse,
    handler: async (call) => call.app.sites.recordVisit(senderOf(call), call.body),
  }),
  defineRoute({
    id: 'sites.conversion',
    method: 'post',
    paths: ['/connected-sites/referrals'],
    access: policies.site,
    summary: 'Report a conversion',
    body: conversionBody,
    response: conversionResponse,
    handler: async (call) => call.app.sites.recordConversion(senderOf(call), call.body),
  }),
  defineRoute({
    id: 'sites.lead',
    method: 'post',
    paths: ['/connected-sites/leads'],
    access: policies.site,
    summary: 'Report a lead',
    body: leadBody,
    response: conversionResponse,
    handler: async (call) =>
      call.app.sites.recordLead(senderOf(call), { ...call.body, kind: String(call.body.kind) }),
  }),
  defineRoute({
    id: 'sites.follow_up',
    method: 'patch',
    paths: ['/connected-sites/referrals/:reference'],
    access: policies.site,
    summary: 'Report that an order was paid, rejected or refunded',
    params: referenceParams,
    body: followUpBody,
    response: followUpResponse,
    handler: async (call) => call.app.sites.followUp(senderOf(call), call.params.reference, call.body),
  }),
];
