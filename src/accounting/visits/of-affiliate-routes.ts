import { policies } from '../../platform/access/policies.js';
import type { Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { visitWithReferrals } from '../api-schemas.js';
import { nestedList } from '../../program/affiliates/schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { VisitsService } from './service.js';

export interface RouteDeps {
  readonly affiliates: AffiliatesService;
  readonly visits: VisitsService;
}
const affiliates = resourcesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const visitsOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  affiliates.page({
    id: 'affiliates.visits',
    paths: ['/affiliates/:id/visits'],
    access: policies.section('affiliates', { also: 'visits' }),
    summary: 'List the visits of an affiliate',
    params: idParams,
    name: 'visits',
    row: visitWithReferrals,
    query: nestedList,
    page: async ({ app, params, query }) => {
      await app.affiliates.get(params.id);
      return app.visits.listOfAffiliate(params.id, query);
    },
  }),
];
