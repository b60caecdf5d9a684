import { isYes } from '../../core/yes-no.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { pinBody, pinSaved, progressResponse } from './schemas.js';
import type { GoalsService } from './service.js';

export interface RouteDeps {
  readonly goals: GoalsService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');
const definePortalRoute = routesFor<RouteDeps>('portal');

export const goalRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.progress',
    method: 'get',
    paths: ['/affiliates/:id/progress'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: "Get an affiliate's reward rules, goals, bonuses and level",
    params: idParams,
    response: progressResponse,
    handler: async ({ app, params }) => app.goals.of(params.id),
  }),
  definePortalRoute({
    id: 'portal.rewards',
    method: 'get',
    paths: ['/portal/rewards'],
    access: policies.signedIn,
    summary: "Get the signed-in affiliate's reward rules, goals, bonuses and level",
    response: progressResponse,
    handler: async ({ app, user }) => app.goals.own(user.id),
  }),
  defineRoute({
    id: 'affiliates.pin_level',
    method: 'post',
    paths: ['/affiliates/:id/level'],
    access: policies.section('affiliates'),
    summary: 'Pin an affiliate to its group, or let levels move it again',
    params: idParams,
    body: pinBody,
    response: pinSaved,
    handler: async ({ app, params, body }) => {
      await app.goals.pin(params.id, isYes(body.pinned));
      return {
        message: 'Affiliate updated.',
        pinned: isYes(body.pinned) ? ('yes' as const) : ('no' as const),
      };
    },
  }),
];
