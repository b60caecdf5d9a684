import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { nestedList, visitPage } from '../../program/affiliates/schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const visitsOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.visits',
    method: 'get',
    paths: ['/affiliates/:id/visits'],
    access: policies.section('affiliates', { also: 'visits' }),
    summary: 'List the visits of an affiliate',
    params: idParams,
    query: nestedList,
    response: visitPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { visits: pageEnvelope(request.url, await app.visits.listOfAffiliate(params.id, query)) };
    },
  }),
];
