import { policies } from '../../platform/access/policies.js';
import type { Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { affiliateRecord } from '../api-schemas.js';
import { memberList } from '../groups/schemas.js';
import type { GroupsService } from '../groups/service.js';
import type { AffiliatesService } from './service.js';

export interface RouteDeps {
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
}

export const affiliatesOfGroupRoutes: readonly Route<RouteDeps>[] = [
  resourcesFor<RouteDeps>('groups').page({
    id: 'groups.affiliates',
    paths: ['/groups/groups/:id/affiliates', '/settings/groups/:id/affiliates'],
    access: policies.settings,
    summary: 'List the affiliates of a group',
    params: idParams,
    name: 'affiliates',
    row: affiliateRecord,
    query: memberList,
    page: async ({ app, params, query }) => {
      await app.groups.get(params.id);
      return app.affiliates.listing.list({ ...query, groupId: params.id }, { bankDetails: true });
    },
  }),
];
