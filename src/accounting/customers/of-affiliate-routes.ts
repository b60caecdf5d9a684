import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  customerLink,
  customerLinked,
  customerListOfAffiliate,
  customerParams,
  customerSearch,
  customersFound,
  customersOfAffiliate,
} from './schemas.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { Platform } from '../../platform/platform.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { customerHooks } from './hooks.js';
import type { CustomersService } from './service.js';

export interface RouteDeps extends Platform {
  readonly hooks: HooksOf<typeof customerHooks>;
  readonly affiliates: AffiliatesService;
  readonly customers: CustomersService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const customersOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.customers',
    method: 'get',
    paths: ['/affiliates/:id/customers'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the customers of an affiliate',
    params: idParams,
    query: customerListOfAffiliate,
    response: customersOfAffiliate,
    handler: async ({ app, params, query, request }) => {
      const affiliate = await app.affiliates.get(params.id);
      const asked = { ...query };
      const filtered = await app.hooks.applyFilters('affiliate_customers_query', asked, asked, params.id);
      const customers = pageEnvelope(
        request.url,
        await app.customers.listOfAffiliate(params.id, { ...query, ...filtered }),
      );
      const response = {
        customers,
        lifetime_expiry_days: await app.customers.lifetimeDays(params.id),
        affiliate: (await app.affiliates.embed([params.id])).get(params.id) ?? null,
      };
      return app.hooks.applyFilters('affiliate_customers_response', response, affiliate, asked);
    },
  }),
  defineRoute({
    id: 'affiliates.search_customers',
    method: 'get',
    paths: ['/affiliates/:id/customers/search'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Search for customers to link to an affiliate',
    params: idParams,
    query: customerSearch,
    response: customersFound,
    handler: async ({ app, params, query }) => {
      const { id } = await app.affiliates.get(params.id);
      const customers = await app.customers.search(id, query.search ?? '');
      return { customers, affiliate: (await app.affiliates.embed([id])).get(id) ?? null };
    },
  }),
  defineRoute({
    id: 'affiliates.link_customer',
    method: 'post',
    paths: ['/affiliates/:id/customers/link'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Link a customer to an affiliate',
    params: idParams,
    body: customerLink,
    response: customerLinked,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.link(params.id, body.customer_id, body.transfer === 'yes'),
      message: 'Customer linked.',
    }),
  }),
  defineRoute({
    id: 'affiliates.unlink_customer',
    method: 'delete',
    paths: ['/affiliates/:id/customers/:customer_id'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'Unlink a customer from an affiliate',
    params: customerParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.customers.unlink(params.id, params.customer_id);
      return { message: 'Customer unlinked.' };
    },
  }),
];
