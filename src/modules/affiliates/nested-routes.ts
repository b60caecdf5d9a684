import { policies } from '../../access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { defineRoute, type Route } from '../../http/define-route.js';
import { idParams } from '../../http/schema.js';
import { customerList, customerPage, nestedList, referralPage, transactionPage, visitPage } from './schemas.js';

/** Lists of what belongs to one affiliate; each needs the section listed as well (managers §5). */
export const nestedRoutes: readonly Route[] = [
  defineRoute({
    id: 'affiliates.referrals', method: 'get', paths: ['/affiliates/:id/referrals'], access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the referrals of an affiliate', params: idParams, query: nestedList, response: referralPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { referrals: pageEnvelope(request.url, await app.referrals.listOfAffiliate(params.id, query)) };
    },
  }),
  defineRoute({
    id: 'affiliates.visits', method: 'get', paths: ['/affiliates/:id/visits'], access: policies.section('affiliates', { also: 'visits' }),
    summary: 'List the visits of an affiliate', params: idParams, query: nestedList, response: visitPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { visits: pageEnvelope(request.url, await app.visits.listOfAffiliate(params.id, query)) };
    },
  }),
  defineRoute({
    id: 'affiliates.transactions', method: 'get', paths: ['/affiliates/:id/transactions'], access: policies.section('affiliates', { also: 'payouts' }),
    summary: 'List the payout transactions of an affiliate', params: idParams, query: nestedList, response: transactionPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { transactions: pageEnvelope(request.url, await app.payouts.listOfAffiliate(params.id, query)) };
    },
  }),
  defineRoute({
    id: 'affiliates.customers', method: 'get', paths: ['/affiliates/:id/customers'], access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the customers of an affiliate', params: idParams, query: customerList, response: customerPage,
    handler: async ({ app, params, query, request }) => {
      const affiliate = await app.affiliates.get(params.id);
      const asked = { ...query };
      const filtered = await app.hooks.applyFilters('affiliate_customers_query', asked, asked, params.id);
      const customers = pageEnvelope(request.url, await app.customers.listOfAffiliate(params.id, { ...query, ...filtered }));
      return app.hooks.applyFilters('affiliate_customers_response', { customers }, affiliate, asked);
    },
  }),
];
