import { policies } from '../../access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { defineRoute, type Route } from '../../http/define-route.js';
import { idParams } from '../../http/schema.js';
import {
  chartAnswer,
  chartDates,
  groupAnswer,
  groupForm,
  groupList,
  groupPage,
  groupSaved,
  memberList,
  memberPage,
  message,
  overviewAnswer,
} from './schemas.js';

/** The listed form first, the guide's form (used by the admin client) as alias. */
const both = (suffix: '' | `/${string}`): readonly [`/${string}`, `/${string}`] => [
  `/groups/groups${suffix}`,
  `/settings/groups${suffix}`,
];

export const groupRoutes: readonly Route[] = [
  defineRoute({
    id: 'groups.list',
    method: 'get',
    paths: both(''),
    access: policies.settings,
    summary: 'List affiliate groups',
    query: groupList,
    response: groupPage,
    handler: async ({ app, query, request }) => ({
      groups: pageEnvelope(request.url, await app.groups.list(query)),
    }),
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
    response: groupAnswer,
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
    body: groupForm,
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
    response: message,
    handler: async ({ app, params }) => {
      await app.groups.remove(params.id);
      return { message: 'Group deleted.' };
    },
  }),
  defineRoute({
    id: 'groups.affiliates',
    method: 'get',
    paths: both('/:id/affiliates'),
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
  defineRoute({
    id: 'groups.overview',
    method: 'get',
    paths: both('/:id/overview'),
    access: policies.settings,
    summary: 'Earnings of a group',
    params: idParams,
    response: overviewAnswer,
    handler: async ({ app, params }) => ({ widgets: await app.groups.overview(params.id) }),
  }),
  defineRoute({
    id: 'groups.statistics',
    method: 'get',
    paths: both('/:id/statistics'),
    access: policies.settings,
    summary: 'Chart of a group',
    params: idParams,
    query: chartDates,
    response: chartAnswer,
    handler: async ({ app, params, query }) => app.groups.statistics(params.id, query),
  }),
];
