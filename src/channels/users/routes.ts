import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams, object, string } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import type { UsersService } from './service.js';

export interface RouteDeps {
  readonly accounts: UsersService;
}
const defineRoute = routesFor<RouteDeps>('users');
const defineAffiliateRoute = routesFor<RouteDeps>('affiliates');

export const userRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'users.nonce',
    method: 'get',
    paths: ['/nonce'],
    access: policies.public,
    summary: 'Get the nonce of the signed-in user. Only pages of the site can call this',
    response: object({ nonce: string }),
    handler: async ({ app, request }) => ({ nonce: await app.accounts.nonceFor(request) }),
  }),
  defineAffiliateRoute({
    id: 'affiliates.erase',
    method: 'post',
    paths: ['/affiliates/:id/erase'],
    access: policies.section('affiliates'),
    summary: "Erase an affiliate's personal data. Commissions, payouts and the ledger are kept",
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.accounts.eraseAffiliate(params.id);
      return { message: 'Personal data erased.' };
    },
  }),
];
