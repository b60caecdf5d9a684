import { isCollection, isList, isMap, isText } from '../checks.js';
import { after, filter } from '../line.js';
import type { ConnectedSite, DataMap } from '../records.js';

export interface CatalogQuery {
  readonly object_type: string;
  readonly search: string;
  readonly include_ids: readonly (string | number)[];
}

export const integrationHooks = {
  get_integrations: filter<DataMap>([], 'The registered commerce providers, by slug.', {
    check: isMap,
    shown: true,
  }),
  'get_integration_config_{slug}': filter<DataMap>(
    [],
    'The configuration of a provider: `{config, fields}`.',
    { check: isMap, shown: true },
  ),
  'save_integration_config_{slug}': filter<string, [config: DataMap]>(
    ['config'],
    'The message after the configuration of a provider was saved; an empty text means it failed. ' +
      'Throw `HookVeto` to refuse it.',
    { check: isText },
  ),
  'get_product_cat_options_{slug}': filter<readonly unknown[], [query: CatalogQuery]>(
    ['query'],
    'Products or categories to choose from, each `{id, label, name}`.',
    { check: isList, shown: true },
  ),
  provider_event: after<[event: DataMap, outcome: DataMap]>(
    ['event', 'outcome'],
    'A commerce provider delivered an event, and this came of it.',
  ),
  customer_data_requested: after<[request: DataMap]>(
    ['request'],
    'A buyer asks through a shop what is kept of them: ' +
      '`{provider, account, customer_ref, order_refs, customer_ids}`; `customers.export` answers.',
  ),
  provider_disconnected: after<[provider: string, account: string]>(
    ['provider', 'account'],
    'A shop took the app away and sends nothing any more.',
  ),
  provider_delivery_failed: after<[provider: string, delivery: DataMap]>(
    ['provider', 'delivery'],
    'A delivery of a shop is given up: `{delivery_key, topic, reason, attempts}`; ' +
      '`reason` is `parse_failed` when nobody could read it.',
  ),
  migrators: filter<DataMap | readonly unknown[]>(
    [],
    'Systems data can be imported from, each `{name, slug}`.',
    { check: isCollection },
  ),
  get_migration_statistics: filter<DataMap, [slug: string]>(
    ['slug'],
    'Totals and imported numbers per kind.',
    { check: isMap, shown: true },
  ),
  get_current_data_counts: filter<DataMap>([], 'Numbers of rows shown before a wipe.', {
    check: isMap,
    shown: true,
  }),
  connected_site_connected: after<[site: ConnectedSite, rotated: boolean]>(
    ['site', 'rotated'],
    'A site was connected, or got a new token (`rotated`). The token is never handed on.',
  ),
  connected_site_updated: after<[site: ConnectedSite, previous: ConnectedSite]>(
    ['site', 'previous'],
    'The settings of a connected site were changed.',
  ),
  connected_site_disconnected: after<[site: ConnectedSite]>(
    ['site'],
    'A site was disconnected; this is its last state.',
  ),
} as const;
