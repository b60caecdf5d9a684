import { policies } from '../../access/policies.js';
import { defineRoute } from '../../http/define-route.js';
import {
  anyObject,
  anything,
  array,
  integer,
  object,
  optional,
  string,
  text,
  Type,
} from '../../http/schema.js';
import { installAddons, listAddons } from './addons.js';
import { FEATURES } from './features.js';
import { createPage, listPages } from './pages.js';
import { affiliateOptions, userOptions } from './select-options.js';

const search = object({ search: Type.Unsafe<string>({ lenient: 'search', default: '' }) });
const options = object({
  ...search.properties,
  include_ids: optional(anything),
  exclude_affiliates: optional(anything),
});
const page = object({ id: integer, link: string, title: string });
const featureParams = object({
  feature_key: Type.Unsafe<string>({ type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$' }),
});
const FALSY: readonly unknown[] = [undefined, '', '0', 'false', 'no'];

/** Features, addons, pages and option lists (settings §3, §4, §6, §9). */
export const hostRoutes = [
  defineRoute({
    id: 'settings.features',
    method: 'get',
    paths: ['/settings/features'],
    access: policies.settings,
    summary: 'List features and addons',
    response: object({ features: array(anyObject), addons: anyObject }),
    handler: async ({ app }) => ({
      features: await app.settings.features.list(),
      addons: await listAddons(app),
    }),
  }),
  defineRoute({
    id: 'settings.feature',
    method: 'get',
    paths: ['/settings/features/:feature_key'],
    access: policies.settings,
    summary: 'Get one feature',
    settings: [FEATURES],
    params: featureParams,
    response: object({ is_enabled: string, feature_key: string }, { additionalProperties: true }),
    handler: async ({ app, params }) => app.settings.features.get(params.feature_key),
  }),
  defineRoute({
    id: 'settings.save_feature',
    method: 'post',
    paths: ['/settings/features/:feature_key'],
    access: policies.settings,
    summary: 'Switch a feature and save its settings',
    settings: [FEATURES],
    params: featureParams,
    body: anyObject,
    response: object({ message: string }, { additionalProperties: true }),
    handler: async ({ app, params, request }) =>
      app.settings.features.save(params.feature_key, request.submitted),
  }),
  defineRoute({
    id: 'settings.install_addons',
    method: 'post',
    paths: ['/settings/addons/install'],
    access: policies.settings,
    summary: 'Install addons of the host',
    body: object({ addon_keys: optional(anything) }),
    response: object({ results: anyObject, message: string }),
    handler: async ({ app, user, body }) => ({
      results: await installAddons(app, user, body.addon_keys),
      message: 'Done',
    }),
  }),
  defineRoute({
    id: 'settings.pages',
    method: 'get',
    paths: ['/settings/pages'],
    access: policies.settings,
    summary: 'List pages of the host',
    query: search,
    response: object({ pages: array(page) }),
    handler: async ({ app, query }) => ({ pages: await listPages(app, query.search) }),
  }),
  defineRoute({
    id: 'settings.create_page',
    method: 'post',
    paths: ['/settings/create-page'],
    access: policies.settings,
    summary: 'Create a page of the host',
    body: object({
      title: optional(text(255)),
      content: optional(Type.Unsafe<string>({ type: 'string', maxLength: 65_535 })),
    }),
    response: object({ page, message: string }),
    handler: async ({ app, body }) => ({ page: await createPage(app, body), message: 'Page created' }),
  }),
  defineRoute({
    id: 'settings.affiliate_options',
    method: 'get',
    paths: ['/settings/options/affiliates'],
    access: policies.options,
    summary: 'Affiliates for a select input',
    query: options,
    response: object({ affiliates: array(object({ id: integer, full_name: string })) }),
    handler: async ({ app, query }) => ({
      affiliates: await affiliateOptions(app, query.search, query.include_ids),
    }),
  }),
  defineRoute({
    id: 'settings.user_options',
    method: 'get',
    paths: ['/settings/options/users'],
    access: policies.options,
    summary: 'Users for a select input',
    query: options,
    response: object({ users: array(object({ ID: integer, display_name: string })) }),
    handler: async ({ app, user, query }) => {
      const withEmail =
        (await app.host.can(user.id, 'manage_options')) || (await app.host.can(user.id, 'list_users'));
      return {
        users: await userOptions(app, {
          search: query.search,
          includeIds: query.include_ids,
          withoutAffiliates: !FALSY.includes(query.exclude_affiliates),
          withEmail,
        }),
      };
    },
  }),
  defineRoute({
    id: 'settings.group_options',
    method: 'get',
    paths: ['/settings/options/affiliate-groups'],
    access: policies.options,
    summary: 'Groups for a select input',
    response: object({ affiliate_groups: array(object({ id: integer, name: string })) }),
    handler: async ({ app }) => ({ affiliate_groups: await app.groups.names() }),
  }),
];
