import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { memberList, memberPage } from '../groups/schemas.js';
import type { GroupsService } from '../groups/service.js';
import type { AffiliatesService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('groups');

export const affiliatesOfGroupRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'groups.affiliates',
    method: 'get',
    paths: ['/groups/groups/:id/affiliates', '/settings/groups/:id/affiliates'],
    access: policies.settings,
    summary: 'List the affiliates of a group',
    params: idParams,
    query: memberList,
    response: memberPage,
    handler: async ({ app, params, query, request }) => {
      await app.groups.get(params.id);
      return {
        affiliates: pageEnvelope(
          request.url,
          await app.affiliates.list({ ...query, groupId: params.id }, { bankDetails: true }),
        ),
      };
    },
  }),
];
