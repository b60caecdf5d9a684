import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { fail } from '../../errors.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../api-schemas.js';
import {
  customerApart,
  customerExport,
  customerMerge,
  customerPage,
  customerPatch,
  customerQuery,
  customerSaved,
  customerTotals,
  customerView,
  EXPORT_COLUMNS,
} from './schemas.js';
import type { CustomersService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly customers: CustomersService;
}
const defineRoute = routesFor<RouteDeps>('customers');

// Whoever sees customers also sees their affiliates and what was earned.
const access = policies.section('affiliates', { also: 'referrals' });

export const customerRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'customers.list',
    method: 'get',
    paths: ['/customers'],
    access,
    summary: 'List the customers of all affiliates',
    query: customerQuery,
    response: customerPage,
    handler: async ({ app, query, request }) => ({
      customers: pageEnvelope(request.url, await app.customers.list(query)),
    }),
  }),
  defineRoute({
    id: 'customers.totals',
    method: 'get',
    paths: ['/customers/totals'],
    access,
    summary: 'Count the customers of the list, and what they bought, in each currency',
    query: customerQuery,
    response: customerTotals,
    handler: async ({ app, query }) => ({ totals: await app.customers.totals(query) }),
  }),
  defineRoute({
    id: 'customers.export',
    method: 'get',
    paths: ['/customers/export'],
    access,
    summary: 'Export customers as CSV or JSON rows',
    query: customerQuery,
    response: customerExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'customers',
        columns: EXPORT_COLUMNS,
        escaped: ['first_name', 'last_name', 'email', 'affiliate_name'],
        ...(await app.customers.exportList(query)),
      }),
  }),
  defineRoute({
    id: 'customers.get',
    method: 'get',
    paths: ['/customers/:id'],
    access,
    summary: 'Get a customer with what was bought and the clicks that led there',
    params: idParams,
    response: customerView,
    handler: async ({ app, params }) => (await app.customers.view(params.id)) ?? fail('customer_not_found'),
  }),
  defineRoute({
    id: 'customers.update',
    method: 'patch',
    paths: ['/customers/:id'],
    access,
    summary: 'Change name or e-mail address of a customer',
    params: idParams,
    body: customerPatch,
    response: customerSaved,
    handler: async ({ app, params, body: { keep_old_email: keep, ...body } }) => ({
      customer: await app.customers.update(params.id, { ...body, keep_old_email: keep !== 'no' }),
      message: 'The customer was saved.',
    }),
  }),
  defineRoute({
    id: 'customers.merge',
    method: 'post',
    paths: ['/customers/:id/merge'],
    access,
    summary: 'Merge a customer into another one who is the same person',
    params: idParams,
    body: customerMerge,
    response: customerSaved,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.merge(params.id, body.into),
      message: 'The customers were merged.',
    }),
  }),
  defineRoute({
    id: 'customers.keep_apart',
    method: 'post',
    paths: ['/customers/:id/keep-apart'],
    access,
    summary: 'Keep two customers apart; they are not marked as the same person again',
    params: idParams,
    body: customerApart,
    response: customerSaved,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.keepApart(params.id, body.from),
      message: 'The customers are kept apart.',
    }),
  }),
  defineRoute({
    id: 'customers.forget',
    method: 'delete',
    paths: ['/customers/:id'],
    access,
    summary: 'Remove the personal data of a customer; commissions stay',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      if (!(await app.customers.forget(params.id))) fail('customer_not_found');
      return { message: 'Customer forgotten.' };
    },
  }),
];
