import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { EXPORT_COLUMNS, visitExport, visitListQuery, visitPage, visitTotals } from './schemas.js';
import type { VisitsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly visits: VisitsService;
}
const defineRoute = routesFor<RouteDeps>('visits');

const ESCAPED = ['affiliate_name', 'url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source', ...SUB_IDS];

export const visitRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'visits.list',
    method: 'get',
    paths: ['/visits'],
    access: policies.section('visits'),
    summary: 'List visits',
    query: visitListQuery,
    response: visitPage,
    handler: async ({ app, query, request }) => ({
      visits: pageEnvelope(request.url, await app.visits.list(query)),
    }),
  }),
  defineRoute({
    id: 'visits.totals',
    method: 'get',
    paths: ['/visits/totals'],
    access: policies.section('visits'),
    summary: 'Count the visits of the list, and how many of them led to a referral',
    query: visitListQuery,
    response: visitTotals,
    handler: async ({ app, query }) => ({ totals: await app.visits.totals(query) }),
  }),
  defineRoute({
    id: 'visits.export',
    method: 'get',
    paths: ['/visits/export'],
    access: policies.section('visits'),
    summary: 'Export visits as CSV or JSON rows',
    query: visitListQuery,
    response: visitExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'visits',
        columns: EXPORT_COLUMNS,
        escaped: ESCAPED,
        ...(await app.visits.export(query)),
      }),
  }),
];
