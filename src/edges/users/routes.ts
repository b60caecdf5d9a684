import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { object, string } from '../../platform/http/schema.js';
import type { UsersService } from './service.js';

/** What the handlers below call. */
interface RouteNeeds {
  readonly accounts: UsersService;
}
const defineRoute = routesFor<RouteNeeds>('users');

export const userRoutes: readonly Route<RouteNeeds>[] = [
  defineRoute({
    id: 'users.nonce',
    method: 'get',
    paths: ['/nonce'],
    access: policies.public,
    summary: 'Get the nonce of the signed-in user; for pages of the site only',
    response: object({ nonce: string }),
    handler: async ({ app, request }) => ({ nonce: await app.accounts.nonceFor(request) }),
  }),
];
