import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { nestedList, transactionPage } from '../../program/affiliates/schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { PayoutsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly affiliates: AffiliatesService;
  readonly payouts: PayoutsService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const payoutsOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.transactions',
    method: 'get',
    paths: ['/affiliates/:id/transactions'],
    access: policies.section('affiliates', { also: 'payouts' }),
    summary: 'List the payout transactions of an affiliate',
    params: idParams,
    query: nestedList,
    response: transactionPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { transactions: pageEnvelope(request.url, await app.payouts.listOfAffiliate(params.id, query)) };
    },
  }),
];
