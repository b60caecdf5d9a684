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
    'get_integration_config_{slug}': mapFilter([], "A provider's configuration: `{config, fields}`.", {
      check: isMap,
      shown: true,
    }),
    'save_integration_config_{slug}': filter<string, [config: DataMap]>(
      ['config'],
      "The message after a provider's configuration was saved. An empty text means it failed. Throw " +
        '`HookVeto` to reject it.',
      { check: isText },
    ),
    'get_product_cat_options_{slug}': filter<readonly unknown[], [query: CatalogQuery]>(
      ['query'],
      'Products or categories to choose from, each `{id, label, name}`.',
      { check: isList, shown: true },
    ),
    provider_event: after<[event: DataMap, outcome: DataMap]>(
      ['event', 'outcome'],
      'A commerce provider delivered an event. `outcome` contains the result and its reason.',
    ),
    customer_data_requested: after<[request: DataMap]>(
      ['request'],
      'A buyer asked a shop for their stored data: `{provider, account, customer_ref, order_refs, ' +
        'customer_ids}`. Collect it with `service.customers.export`.',
    ),
    provider_disconnected: after<[provider: string, account: string]>(
      ['provider', 'account'],
      'A shop removed the app and no longer sends events.',
    ),
    provider_delivery_failed: after<[provider: string, delivery: DataMap]>(
      ['provider', 'delivery'],
      'A delivery from a shop failed permanently: `{delivery_key, topic, reason, attempts}`. `reason` ' +
        "is `parse_failed` if it couldn't be parsed.",
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
