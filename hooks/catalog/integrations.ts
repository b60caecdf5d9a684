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
    'A commerce provider delivered an event; `outcome` says what was done about it.',
  ),
  customer_data_requested: after<[request: DataMap]>(
    ['request'],
    'A buyer asked a shop which data is kept about them: ' +
      '`{provider, account, customer_ref, order_refs, customer_ids}`; `service.customers.export` collects the data.',
  ),
  provider_disconnected: after<[provider: string, account: string]>(
    ['provider', 'account'],
    'A shop removed the app and sends nothing any more.',
  ),
  provider_delivery_failed: after<[provider: string, delivery: DataMap]>(
    ['provider', 'delivery'],
    'A delivery from a shop failed for good: `{delivery_key, topic, reason, attempts}`; ' +
      '`reason` is `parse_failed` when it could not be read.',
  ),
  migrators: filter<DataMap | readonly unknown[]>(
    [],
    'The systems that data can be imported from, each `{name, slug}`.',
    { check: isCollection },
  ),
  get_migration_statistics: filter<DataMap, [slug: string]>(
    ['slug'],
    'How many rows of each kind the other system has, and how many were imported.',
    { check: isMap, shown: true },
  ),
  get_current_data_counts: filter<DataMap>(
    [],
    'How many rows of each kind a wipe would delete, shown before it.',
    {
      check: isMap,
      shown: true,
    },
  ),
  connected_site_connected: after<[site: ConnectedSite, rotated: boolean]>(
    ['site', 'rotated'],
    'A site was connected, or got a new token (`rotated`). The token is not passed to hooks.',
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
