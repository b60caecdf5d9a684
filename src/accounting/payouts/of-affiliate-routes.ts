import { policies } from '../../platform/access/policies.js';
import type { Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { transactionOfAffiliate } from '../api-schemas.js';
import { nestedList } from '../../program/affiliates/schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { PayoutsService } from './service.js';

export interface RouteDeps {
  readonly affiliates: AffiliatesService;
  readonly payouts: PayoutsService;
}
const affiliates = resourcesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const payoutsOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  affiliates.page({
    id: 'affiliates.transactions',
    paths: ['/affiliates/:id/transactions'],
    access: policies.section('affiliates', { also: 'payouts' }),
    summary: 'List the payout transactions of an affiliate',
    params: idParams,
    name: 'transactions',
    row: transactionOfAffiliate,
    query: nestedList,
    page: async ({ app, params, query }) => {
      await app.affiliates.get(params.id);
      return app.payouts.lists.ofAffiliate(params.id, query);
    },
  }),
];
