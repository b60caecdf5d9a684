import { byId, byMany, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { groupHooks } from './hooks.js';
import { groupRoutes } from './routes.js';
import { GroupsService } from './service.js';

export type { Group, GroupValue } from './types.js';

export const groups = defineModule({
  name: 'groups',
  Service: GroupsService,
  hooks: groupHooks,
  routes: [...groupRoutes],
  api: (service) => ({
    ...byId(service, ['find', 'get', 'remove', 'update']),
    ...byMany(service, ['findMany']),
    ...only(service, ['create', 'names', 'overview']),
    ...lists(service, ['list']),
  }),
});
