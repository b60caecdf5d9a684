import type { Static } from 'typebox';
import {
  array,
  boolean,
  dateTime,
  dayFilters,
  filterWord,
  flag,
  integer,
  deferred,
  deferredMap,
  listQuery,
  mapOf,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { wireIdOf, yesNo } from '../../core/dto-schema.js';
import { deliveries } from './record.js';
import type { ProviderConfig } from './types.js';

const key = text(100, 1);

export const integrationQuery = object({ integration: key });
export const statusBody = object({ integration: key, is_enabled: flag });
export const optionsQuery = object({
  integration: text(100),
  object_type: optional(text(20)),
  search: optional(text(255)),
  include_ids: optional(deferred(array(wireIdOf))),
});

const rateRow = object({
  object_type: oneOf('product', 'category'),
  object_ids: array(wireIdOf),
  rate: number,
  rate_type: oneOf('percentage', 'fixed'),
});
/** The known settings; an integration has some of them, and may have flags and tables of its own. */
const config = Type.Unsafe<ProviderConfig>(
  Type.Object(
    {
      is_enabled: optional(yesNo),
      custom_affiliate_rate: optional(yesNo),
      custom_affiliate_rates: optional(array(rateRow)),
      watched_product_ids: optional(array(wireIdOf)),
      watched_cat_ids: optional(array(wireIdOf)),
      affiliate_on_discount_product: optional(yesNo),
      disable_on_upgrades: optional(yesNo),
      enable_subscription_renewal: optional(yesNo),
      renewal_custom_affiliate_rate: optional(yesNo),
      renewal_custom_affiliate_rates: optional(array(rateRow)),
      renewal_watched_product_ids: optional(array(wireIdOf)),
      renewal_watched_cat_ids: optional(array(wireIdOf)),
    },
    { additionalProperties: true },
  ),
);
const field = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {
      type: string,
      checkbox_label: optional(string),
      help_text: optional(string),
      default: optional(yesNo),
      true_value: optional(string),
      false_value: optional(string),
      main_label: optional(string),
      product_label: optional(string),
      has_products: optional(boolean),
      has_categories: optional(boolean),
      rate_key: optional(string),
      rates_key: optional(string),
      shown_when: optional(array(string)),
    },
    { additionalProperties: true },
  ),
);
/** Hooks may add integrations, which have fewer or more keys. */
const integration = named(
  'Integration',
  Type.Object(
    {
      integration: optional(string),
      title: optional(string),
      description: optional(string),
      type: optional(string),
      logo: optional(string),
      is_unavailable: optional(boolean),
      config: optional(config),
      disconnected: optional(array(object({ account: string, at: dateTime }))),
      ignored_deliveries: optional(object({ count: integer, last_at: dateTime })),
      disable_advanced_config: optional(boolean),
      has_webhook: optional(boolean),
      /** The shop can be asked for an order (`/settings/integration/ask`). */
      can_ask: optional(boolean),
    },
    { additionalProperties: true },
  ),
);

export type IntegrationDto = Static<typeof integration>;
export const configBody = object({ integration: key, config: deferredMap(config) });
export const integrationsResponse = object({ integrations: mapOf(integration) });
export const deliveriesQuery = listQuery(20, { ...dayFilters, provider: filterWord, status: filterWord });
const delivery = object({
  ...deliveries.wire,
  /** The content is still stored and can be processed again. */
  can_replay: boolean,
  /** The field that could not be read, and why. */
  problem: nullable(object({ field: string, message: string })),
});
export type DeliveryDto = Static<typeof delivery>;
export const deliveriesResponse = object({ deliveries: pageOf(delivery) });
export const askBody = object({ integration: key, order: text(191, 1), account: optional(text(191)) });
const outcome = object({
  result: oneOf('recorded', 'updated', 'unchanged', 'ignored', 'deferred'),
  reason: nullable(string),
  referral_id: nullable(integer),
});
export type OutcomeDto = Static<typeof outcome>;
export const outcomeResponse = object({ outcome });

export const configResponse = object({
  config,
  fields: mapOf(field),
  info: integration,
  integration_key: string,
});
export type ConfigDto = Static<typeof configResponse>;
export const statusResponse = object({ message: string, status: yesNo, config });
const option = Type.Object(
  { id: wireIdOf, label: string, name: optional(string) },
  { additionalProperties: true },
);
export type OptionDto = Static<typeof option>;
export type SwitchedDto = Static<typeof statusResponse>;
export const optionsResponse = object({ options: array(option) });

/** `counts_coupons`: orders of this shop credit the affiliate of a bound coupon. */
const couponShop = object({ provider: string, title: string, counts_coupons: boolean });
export type CouponShopDto = Static<typeof couponShop>;
export const couponShopsResponse = object({ shops: array(couponShop) });
