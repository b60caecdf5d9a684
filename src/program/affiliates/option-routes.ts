import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import {
  array,
  flag,
  integer,
  deferred,
  object,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';
import { wireIdOf } from '../../core/dto-schema.js';
import { affiliateOptions, userOptions } from './select-options.js';
import type { Deps } from './deps.js';
import type { AffiliatesService } from './service.js';

export interface RouteDeps extends Deps {
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('settings');

const options = object({
  search: Type.Unsafe<string>({ lenient: 'search', default: '' }),
  include_ids: optional(deferred(array(wireIdOf))),
  exclude_affiliates: optional(deferred(flag)),
});
const FALSY: readonly unknown[] = [undefined, '', '0', 'false', 'no'];

/** Affiliates and users for select inputs (docs/settings.md §7). */
export const affiliateOptionRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.affiliate_options',
    method: 'get',
    paths: ['/settings/options/affiliates'],
    access: policies.options,
    summary: 'List affiliates for a select input',
    query: options,
    response: object({ affiliates: array(object({ id: integer, full_name: string })) }),
    handler: async ({ app, query }) => ({
      affiliates: await affiliateOptions(
        { app, affiliates: app.affiliates },
        query.search,
        query.include_ids,
      ),
    }),
  }),
  defineRoute({
    id: 'settings.user_options',
    method: 'get',
    paths: ['/settings/options/users'],
    access: policies.options,
    summary: 'List users for a select input',
    query: options,
    response: object({ users: array(object({ ID: integer, display_name: string })) }),
    handler: async ({ app, user, query, allows }) => {
      const listsUsers =
        (await app.host.can(user.id, 'manage_options')) || (await app.host.can(user.id, 'list_users'));
      const withEmail = listsUsers && (await allows('affiliates'));
      return {
        users: await userOptions(
          { app, affiliates: app.affiliates },
          {
            search: query.search,
            includeIds: query.include_ids,
            withoutAffiliates: !FALSY.includes(query.exclude_affiliates),
            withEmail,
          },
        ),
      };
    },
  }),
];
