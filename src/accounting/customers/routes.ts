import { policies } from '../../platform/access/policies.js';
import { fail } from '../../errors.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  customerApart,
  customerMerge,
  customerPatch,
  customerQuery,
  customerSaved,
  customerTotals,
  customerView,
  EXPORT_COLUMNS,
  listedCustomer,
} from './schemas.js';
import type { CustomersService } from './service.js';

export interface RouteDeps {
  readonly customers: CustomersService;
}
const defineRoute = routesFor<RouteDeps>('customers');

// Users who may see customers may also see their affiliates and commissions.
const access = policies.section('affiliates', { also: 'referrals' });

export const customerRoutes: readonly Route<RouteDeps>[] = [
  ...resourcesFor<RouteDeps>('customers').lists({
    paths: ['/customers'],
    access,
    name: 'customers',
    row: listedCustomer,
    query: customerQuery,
    of: ({ app: { customers } }) => ({
      list: (query) => customers.list(query),
      totals: (query) => customers.totals(query),
      export: (query) => customers.exportList(query),
    }),
    list: { id: 'customers.list', summary: 'List the customers of all affiliates' },
    totals: {
      id: 'customers.totals',
      summary: 'Count the listed customers and total their purchases in each currency',
      schema: customerTotals,
    },
    export: {
      id: 'customers.export',
      summary: 'Export customers as CSV or JSON rows',
      columns: EXPORT_COLUMNS,
      escaped: ['first_name', 'last_name', 'email', 'affiliate_name'],
    },
  }),
  defineRoute({
    id: 'customers.get',
    method: 'get',
    paths: ['/customers/:id'],
    access,
    summary: 'Get a customer with their purchases and the clicks that led to them',
    params: idParams,
    response: customerView,
    handler: async ({ app, params }) => (await app.customers.view(params.id)) ?? fail('customer_not_found'),
  }),
  defineRoute({
    id: 'customers.update',
    method: 'patch',
    paths: ['/customers/:id'],
    access,
    summary: "Update a customer's name or e-mail address",
    params: idParams,
    body: customerPatch,
    response: customerSaved,
    handler: async ({ app, params, body: { keep_old_email: keep, ...body } }) => ({
      customer: await app.customers.update(params.id, { ...body, keep_old_email: keep !== 'no' }),
      message: 'Customer saved.',
    }),
  }),
  defineRoute({
    id: 'customers.merge',
    method: 'post',
    paths: ['/customers/:id/merge'],
    access,
    summary: 'Merge a duplicate customer into another one',
    params: idParams,
    body: customerMerge,
    response: customerSaved,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.merge(params.id, body.into),
      message: 'Customers merged.',
    }),
  }),
  defineRoute({
    id: 'customers.keep_apart',
    method: 'post',
    paths: ['/customers/:id/keep-apart'],
    access,
    summary: 'Mark two customers as different people. They are no longer suggested as duplicates',
    params: idParams,
    body: customerApart,
    response: customerSaved,
    handler: async ({ app, params, body }) => ({
      customer: await app.customers.keepApart(params.id, body.from),
      message: 'The customers stay separate.',
    }),
  }),
  defineRoute({
    id: 'customers.forget',
    method: 'delete',
    paths: ['/customers/:id'],
    access,
    summary: "Erase a customer's personal data. Commissions are kept",
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      if (!(await app.customers.forget(params.id))) fail('customer_not_found');
      return { message: 'Personal data erased.' };
    },
  }),
];
