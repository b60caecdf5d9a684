import type { Static, TObject, TSchema } from 'typebox';
import {
  anyObject,
  array,
  boolean,
  integer,
  deferred,
  deferredMap,
  money,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { RHYTHMS } from '../../core/payout-day.js';
import { numberOrBlank, numberOrText, wireIdOf } from '../../api-schemas.js';
import { optionSchema } from '../../options.js';
import { wireName } from './rule-names.js';
import { RATE_KEYS, RULE_NAMES } from './types.js';

const yesOrNo = oneOf('yes', 'no');

/** The known keys; extensions may add more. */
export const referralConfig = object(
  {
    referral_variable: string,
    rate_type: oneOf('percentage', 'fixed'),
    rate: number,
    cookie_duration: integer,
    referral_format: string,
    payout_method: oneOf('paypal', 'bank_transfer'),
    number_format: string,
    currency: string,
    currency_symbol_position: string,
    credit_last_referrer: yesOrNo,
    exclude_shipping: yesOrNo,
    exclude_tax: yesOrNo,
    exclude_discount: yesOrNo,
    self_referral_disabled: yesOrNo,
    dashboard_page_id: nullable(wireIdOf),
    enabled_integrations: array(string),
    enable_subscription_renewal: yesOrNo,
    renewal_rate_type: oneOf('percentage', 'fixed'),
    renewal_rate: number,
    max_renewal_count: integer,
    enable_lifetime_commission: yesOrNo,
    lifetime_rate_type: oneOf('percentage', 'fixed'),
    lifetime_rate: number,
    lifetime_expiry_days: numberOrBlank,
    hold_days: integer,
    renewal_max_months: numberOrBlank,
    excluded_products: array(string),
    excluded_categories: array(string),
    rate_rules: oneOf('first', 'best'),
    commission_cap_amount: integer,
    commission_cap_days: integer,
    lead_amount: number,
    payout_rhythm: oneOf(...RHYTHMS),
    payout_day: integer,
    ask_invoice_details: yesOrNo,
    show_products: yesOrNo,
  },
  { additionalProperties: true },
);

const { properties: configured } = referralConfig;
/** What events tell of the program's rates. */
export const ratesOfProgram = object(
  Object.fromEntries(RATE_KEYS.map((key) => [key, configured[key]])) as Pick<
    typeof configured,
    (typeof RATE_KEYS)[number]
  >,
);

/** The sent keys are saved; numbers may be text. */
const someReferralConfig = Type.Object(
  Object.fromEntries(
    Object.entries(referralConfig.properties).map(([name, schema]) => [
      name,
      optional(schema === number || schema === integer ? numberOrText : schema),
    ]),
  ),
  { additionalProperties: true },
);
/** The configuration in answers; the program itself uses its own copy, checked value by value. */
export type ReferralConfigDto = Static<typeof referralConfig>;
/** Earlier link variables, whose links go on crediting. */
export const formerVariables = array(string);
export const referralConfigBody = object({
  referral_config: optional(deferredMap(someReferralConfig)),
  /** Changes the currency even while a payout is open or money is owed in the present one. */
  confirm: optional(deferred(boolean)),
});

const { clawback, refundFlat, stalePendingDays, fraud } = optionSchema.properties;
const DOMAINS_MAX = 1000;

/** The option's schema for a request: without default, because absent values stay. */
function field(schema: TSchema): TSchema {
  const { default: _default, ...rest } = schema as TSchema & {
    readonly default?: unknown;
    readonly type: string;
  };
  return rest.type === 'array' ? Type.Array(text(253), { maxItems: DOMAINS_MAX }) : rest;
}

const fraudFields = Object.entries(fraud.properties).map(
  ([name, schema]) => [wireName(name), field(schema)] as const,
);
const fraudRules = (of: (schema: TSchema) => TSchema): TObject =>
  object(Object.fromEntries(fraudFields.map(([name, schema]) => [name, of(schema)])));

export const programRulesBody = object({
  clawback: optional(field(clawback)),
  refund_flat: optional(field(refundFlat)),
  stale_pending_days: optional(field(stalePendingDays)),
  min_payout: optional(money),
  approval_above: optional(nullable(money)),
  require_payment_details: optional(boolean),
  fraud: optional(fraudRules((schema) => optional(schema))),
  reset: optional(array(oneOf(...RULE_NAMES.map(wireName)), { maxItems: RULE_NAMES.length })),
});

const programRules = object({
  clawback: field(clawback),
  refund_flat: field(refundFlat),
  stale_pending_days: integer,
  min_payout: number,
  approval_above: nullable(number),
  require_payment_details: boolean,
  fraud: fraudRules((schema) => schema),
});
export type RulesDto = Static<typeof programRules>;
/** The rules that apply, the values of the host's options, and which rules they lock. */
export const programRulesResponse = object({
  rules: programRules,
  defaults: programRules,
  locked: array(string),
  message: optional(string),
});
export type RulesResponse = Static<typeof programRulesResponse>;

export const extensible = { additionalProperties: true } as const;
export const feature = Type.Object(
  {
    key: string,
    title: string,
    description: string,
    icon: string,
    is_enabled: yesOrNo,
    is_pro: boolean,
    has_settings: boolean,
    settings: array(anyObject),
  },
  extensible,
);
const platform = object({
  key: string,
  title: string,
  icon_svg: string,
  enabled: yesOrNo,
  placeholder: string,
  share_url: string,
});
const colours = object({ qr_color: string, qr_bg_color: string });
const switches = array(object({ key: string, enabled: yesOrNo }));
/** Settings of the features that have some. Extensions may have others. */
export const featureDetails = {
  settings: optional(Type.Unsafe<unknown>({ anyOf: [colours, switches, anyObject] })),
  platforms: optional(array(platform)),
  enabled_keys: optional(array(string)),
};
export type Feature = Static<typeof feature>;
export const featureResponse = Type.Object(
  { is_enabled: yesOrNo, feature_key: string, ...featureDetails },
  extensible,
);
export type FeatureResponse = Static<typeof featureResponse>;
export const featureSaved = Type.Object({ message: string, ...featureDetails }, extensible);
export type FeatureSaved = Static<typeof featureSaved>;
