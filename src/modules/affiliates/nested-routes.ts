import { policies } from '../../access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { defineRoute, type Route } from '../../http/define-route.js';
import { idParams } from '../../http/schema.js';
import {
  balanceCorrected,
  balanceCorrection,
  customerLink,
  customerLinked,
  customerList,
  customerPage,
  customerParams,
  customerSearch,
  customersFound,
  message,
  nestedList,
  referralPage,
  transactionPage,
  visitPage,
} from './schemas.js';

/** Lists of what belongs to one affiliate; each needs the section listed as well (managers §5). */
export const nestedRoutes: readonly Route[] = [
  defineRoute({
    id: 'affiliates.referrals',
    method: 'get',
    paths: ['/affiliates/:id/referrals'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the referrals of an affiliate',
    params: idParams,
    query: nestedList,
    response: referralPage,
    handler: async ({ app, params, query, request }) => {
      await app.affiliates.get(params.id);
      return { referrals: pageEnvelope(request.url, await app.referrals.listOfAffiliate(params.id, query)) };
    },
  }),
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
  defineRoute({
    id: 'affiliates.correct_balance',
    method: 'post',
    paths: ['/affiliates/:id/balance-corrections'],
    access: policies.admin,
    summary: "Correct an affiliate's balance by a signed amount, with a reason",
    params: idParams,
    body: balanceCorrection,
    response: balanceCorrected,
    handler: async ({ app, params, body }) => {
      const correction = body as Parameters<typeof app.ledger.correct>[1]; // judged by the service
      const referral = await app.ledger.correct(params.id, correction);
      return { referral: await app.referrals.present(referral), message: 'The balance was corrected.' };
    },
  }),
  defineRoute({
    id: 'affiliates.customers',
    method: 'get',
    paths: ['/affiliates/:id/customers'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the customers of an affiliate',
    params: idParams,
    query: customerList,
    response: customerPage,
    handler: async ({ app, params, query, request }) => {
      const affiliate = await app.affiliates.get(params.id);
      const asked = { ...query };
      const filtered = await app.hooks.applyFilters('affiliate_customers_query', asked, asked, params.id);
      const customers = pageEnvelope(
        request.url,
        await app.customers.listOfAffiliate(params.id, { ...query, ...filtered }),
      );
      const answer = { customers, lifetime_expiry_days: await app.customers.lifetimeDays(params.id) };
      return app.hooks.applyFilters('affiliate_customers_response', answer, affiliate, asked);
    },
  }),
  defineRoute({
    id: 'affiliates.search_customers',
    method: 'get',
    paths: ['/affiliates/:id/customers/search'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Find customers an affiliate could be given',
    params: idParams,
    query: customerSearch,
    response: customersFound,
    handler: async ({ app, params, query }) => {
      await app.affiliates.get(params.id);
      return { customers: await app.customers.search(params.id, query.search ?? '') };
    },
  }),
  defineRoute({
    id: 'affiliates.link_customer',
    method: 'post',
    paths: ['/affiliates/:id/customers/link'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Give a customer to an affiliate',
    params: idParams,
    body: customerLink,
    response: customerLinked,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.link(params.id, body.customer_id, body.transfer === 'yes'),
      message: 'The customer was linked.',
    }),
  }),
  defineRoute({
    id: 'affiliates.unlink_customer',
    method: 'delete',
    paths: ['/affiliates/:id/customers/:customer_id'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Take a customer from an affiliate',
    params: customerParams,
    response: message,
    handler: async ({ app, params }) => {
      await app.customers.unlink(params.id, params.customer_id);
      return { message: 'The customer was unlinked.' };
    },
  }),
];
