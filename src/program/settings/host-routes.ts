import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import {
  array,
  boolean,
  integer,
  deferred,
  mapOf,
  object,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { yesNo } from '../../core/dto-schema.js';
import { installAddons, listAddons } from './addons.js';
import { FEATURES } from './features.js';
import { extensible, feature, featureResponse, featureDetails, featureSaved } from './schemas.js';
import { createPage, listPages } from './pages.js';
import type { Deps } from './deps.js';
import type { SettingsService } from './service.js';

export interface RouteDeps extends Deps {
  readonly settings: SettingsService;
}
const defineRoute = routesFor<RouteDeps>('settings');

const search = object({ search: Type.Unsafe<string>({ lenient: 'search', default: '' }) });
const page = object({ id: integer, link: string, title: string });
const featureParams = object({
  feature_key: Type.Unsafe<string>({ type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$' }),
});
/** Extensions may have features and settings of their own. */
const featureForm = Type.Object(
  {
    is_enabled: optional(deferred(yesNo)),
    settings: optional(deferred(featureDetails.settings)),
    enabled_keys: optional(deferred(array(string), 'Keys of the enabled platforms, in display order')),
  },
  extensible,
);
const addon = object({
  title: string,
  description: string,
  logo: string,
  repo_slug: string,
  plugin_file: string,
  is_repo: boolean,
  is_installed: boolean,
  settings_url: string,
  action_text: string,
});

/** Features, addons, pages and option lists (docs/settings.md §3, §4, §5, §7). */
export const hostRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.features',
    method: 'get',
    paths: ['/settings/features'],
    access: policies.settings,
    summary: 'List features and add-ons',
    response: object({ features: array(feature), addons: mapOf(addon) }),
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
    response: featureResponse,
    handler: async ({ app, params }) => app.settings.features.get(params.feature_key),
  }),
  defineRoute({
    id: 'settings.save_feature',
    method: 'post',
    paths: ['/settings/features/:feature_key'],
    access: policies.settings,
    summary: 'Turn a feature on or off and update its settings',
    settings: [FEATURES],
    params: featureParams,
    body: featureForm,
    formParts: [{ name: 'settings', sentWith: 'is_enabled', kind: 'map' }],
    response: featureSaved,
    handler: async ({ app, params, request }) =>
      app.settings.features.save(params.feature_key, request.submitted),
  }),
  defineRoute({
    id: 'settings.install_addons',
    method: 'post',
    paths: ['/settings/addons/install'],
    access: policies.settingsOfPeople,
    summary: 'Install add-ons on the host',
    body: object({ addon_keys: optional(deferred(array(string))) }, { demanded: ['addon_keys'] }),
    response: object({ results: mapOf(object({ success: boolean, message: string })), message: string }),
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
    summary: "List the host's pages",
    query: search,
    response: object({ pages: array(page) }),
    handler: async ({ app, query }) => ({ pages: await listPages(app, query.search) }),
  }),
  defineRoute({
    id: 'settings.create_page',
    method: 'post',
    paths: ['/settings/create-page'],
    access: policies.settings,
    summary: 'Create a page on the host',
    body: object(
      {
        title: optional(text(255)),
        content: optional(Type.Unsafe<string>({ type: 'string', maxLength: 65_535 })),
      },
      { demanded: ['title'] },
    ),
    response: object({ page, message: string }),
    handler: async ({ app, body }) => ({ page: await createPage(app, body), message: 'Page created.' }),
  }),
];
