export { groupRoutes } from './routes.js';
export { GroupsService } from './service.js';
export type { Group, GroupForm, GroupListQuery, GroupValue } from './types.js';
