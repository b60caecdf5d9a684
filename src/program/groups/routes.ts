import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { array, idParams, integer, object, string } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { groupRecord } from '../api-schemas.js';
import {
  EXPORT_COLUMNS,
  groupForm,
  groupList,
  groupPatch,
  groupResponse,
  groupSaved,
  overviewResponse,
} from './schemas.js';
import type { GroupsService } from './service.js';

export interface RouteDeps {
  readonly groups: GroupsService;
}
const defineRoute = routesFor<RouteDeps>('groups');
const defineSettingsRoute = routesFor<RouteDeps>('settings');

/** The documented path first; the other one, used by the admin client, is its alias. */
const both = (suffix: '' | `/${string}`): readonly [`/${string}`, `/${string}`] => [
  `/groups/groups${suffix}`,
  `/settings/groups${suffix}`,
];

export const groupRoutes: readonly Route<RouteDeps>[] = [
  ...resourcesFor<RouteDeps>('groups').lists({
    paths: both(''),
    access: policies.settings,
    name: 'groups',
    row: groupRecord,
    query: groupList,
    of: ({ app }) => app.groups,
    list: { id: 'groups.list', summary: 'List affiliate groups' },
    export: {
      id: 'groups.export',
      summary: 'Export affiliate groups as CSV or JSON rows',
      columns: EXPORT_COLUMNS,
      escaped: ['name', 'notes'],
    },
  }),
  defineRoute({
    id: 'groups.create',
    method: 'post',
    paths: both(''),
    access: policies.settings,
    summary: 'Create an affiliate group',
    body: groupForm,
    response: groupSaved,
    handler: async ({ app, request }) => ({
      message: 'Group created.',
      data: await app.groups.presentOne(await app.groups.create(request.submitted)),
    }),
  }),
  defineRoute({
    id: 'groups.get',
    method: 'get',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Get an affiliate group',
    params: idParams,
    response: groupResponse,
    handler: async ({ app, params }) => ({
      group: await app.groups.presentOne(await app.groups.get(params.id)),
    }),
  }),
  defineRoute({
    id: 'groups.update',
    method: 'patch',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Update an affiliate group',
    params: idParams,
    body: groupPatch,
    response: groupSaved,
    handler: async ({ app, params, request }) => ({
      data: await app.groups.presentOne(await app.groups.update(params.id, request.submitted)),
      message: 'Group updated.',
    }),
  }),
  defineRoute({
    id: 'groups.delete',
    method: 'delete',
    paths: both('/:id'),
    access: policies.settings,
    summary: 'Delete an affiliate group',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.groups.remove(params.id);
      return { message: 'Group deleted.' };
    },
  }),
  defineRoute({
    id: 'groups.overview',
    method: 'get',
    paths: both('/:id/overview'),
    access: policies.settings,
    summary: 'Get the earnings of a group',
    params: idParams,
    response: overviewResponse,
    handler: async ({ app, params }) => ({ widgets: await app.groups.overview(params.id) }),
  }),
  defineSettingsRoute({
    id: 'settings.group_options',
    method: 'get',
    paths: ['/settings/options/affiliate-groups'],
    access: policies.options,
    summary: 'List groups for a select input',
    response: object({ affiliate_groups: array(object({ id: integer, name: string })) }),
    handler: async ({ app }) => ({ affiliate_groups: await app.groups.names() }),
  }),
];
