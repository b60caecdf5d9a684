import { isList, isMap, isText } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export interface CatalogQuery {
  readonly object_type: string;
  readonly search: string;
  readonly include_ids: readonly (string | number)[];
}

export const commerceHooks = defineHooks(
  {
    get_integrations: mapFilter([], 'The registered commerce providers, by slug.', {
      check: isMap,
      shown: true,
    }),
    'get_integration_config_{slug}': mapFilter([], 'The configuration of a provider: `{config, fields}`.', {
      check: isMap,
      shown: true,
    }),
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
      'A commerce provider delivered an event; `outcome` has the result and its reason.',
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
  },
  {
    'provider.list': 'get_integrations',
    'provider.settings.{slug}': 'get_integration_config_{slug}',
    'provider.settings_saved.{slug}': 'save_integration_config_{slug}',
    'provider.categories.{slug}': 'get_product_cat_options_{slug}',
    'provider.event': 'provider_event',
    'provider.customer_data_requested': 'customer_data_requested',
    'provider.disconnected': 'provider_disconnected',
    'provider.delivery_failed': 'provider_delivery_failed',
  },
);
