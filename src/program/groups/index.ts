import { defineModule } from '../../platform/module.js';
import { groupRoutes } from './routes.js';
import { GroupsService } from './service.js';

export type { Group, GroupForm, GroupListQuery, GroupValue } from './types.js';

export const groups = defineModule({
  name: 'groups',
  Service: GroupsService,
  routes: [...groupRoutes],
});
