import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { chartResponse } from '../../platform/http/responses.js';
import { chartDates } from '../../program/affiliates/schemas.js';
import { chartResponse as groupChartAnswer } from '../../program/groups/schemas.js';
import type { RollupsService } from './service.js';

export interface RouteDeps {
  readonly rollups: RollupsService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');
const defineGroupRoute = routesFor<RouteDeps>('groups');

/** Charts of one affiliate and of the members of a group. */
export const rollupRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.statistics',
    method: 'get',
    paths: ['/affiliates/:id/statistics'],
    access: policies.section('affiliates'),
    summary: "Get an affiliate's chart data",
    params: idParams,
    query: chartDates,
    response: chartResponse,
    handler: async ({ app, params, query, allows }) => app.rollups.ofAffiliate(params.id, query, allows),
  }),
  defineGroupRoute({
    id: 'groups.statistics',
    method: 'get',
    paths: ['/groups/groups/:id/statistics', '/settings/groups/:id/statistics'],
    access: policies.settings,
    summary: "Get a group's chart data",
    params: idParams,
    query: chartDates,
    response: groupChartAnswer,
    handler: async ({ app, params, query }) => app.rollups.ofGroup(params.id, query),
  }),
];
