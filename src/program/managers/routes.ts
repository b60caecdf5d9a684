import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { presentManager, presentPermissionSets } from './presenter.js';
import { managerForm, managerList, managerSaved } from './schemas.js';
import type { Platform } from '../../platform/platform.js';
import type { ManagersService } from './service.js';

export interface RouteDeps extends Platform {
  readonly managers: ManagersService;
}
const defineRoute = routesFor<RouteDeps>('managers');

// For administrators only, and no option changes that: a manager must never make managers.
export const managerRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'managers.list',
    method: 'get',
    paths: ['/settings/managers'],
    access: policies.admin,
    summary: 'List managers and the available permissions',
    response: managerList,
    handler: async ({ app }) => ({
      managers: (await app.managers.list()).map(presentManager),
      permissions: presentPermissionSets(app.options.managers.permissionLabels),
    }),
  }),
  defineRoute({
    id: 'managers.save',
    method: 'post',
    paths: ['/settings/managers'],
    access: policies.admin,
    summary: "Add a manager or replace a manager's permissions",
    body: managerForm,
    response: managerSaved,
    handler: async ({ app, body }) => ({
      message: 'Manager saved.',
      manager: presentManager(await app.managers.save(body)),
    }),
  }),
  defineRoute({
    id: 'managers.delete',
    method: 'delete',
    paths: ['/settings/managers/:id'],
    access: policies.admin,
    summary: 'Remove a manager',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.managers.remove(params.id);
      return { message: 'Manager removed.' };
    },
  }),
];
