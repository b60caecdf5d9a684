import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { tryResponse, tryBody } from './schemas.js';
import type { ConversionsService } from './service.js';
import type { RulesTried } from './types.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('rewards');

export const tryRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'rewards.try',
    method: 'post',
    paths: ['/reward-rules/try'],
    access: policies.settings,
    summary: 'Try rules on one order: each rule, each condition with the value it saw, and the reward',
    body: tryBody,
    response: tryResponse,
    handler: async ({ app, body }) => {
      const order = body.order as RulesTried['order']; // checked by the service, like any order
      return { tried: await app.conversions.tryRules({ ...body, order }) };
    },
  }),
];
