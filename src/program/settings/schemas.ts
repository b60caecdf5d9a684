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
import { numberOrText, yesNo } from '../../core/dto-schema.js';
import { RULE_NAMES } from '../../core/rule-names.js';
import { optionSchema } from '../../options.js';
import { CONFIG_FIELDS } from './record.js';
import { wireName } from './rule-names.js';
import { RATE_KEYS } from './types.js';

/** The known keys; extensions may add more. */
export const referralConfig = object(
  Object.fromEntries(Object.entries(CONFIG_FIELDS).map(([name, { schema }]) => [name, schema])) as {
    [K in keyof typeof CONFIG_FIELDS]: (typeof CONFIG_FIELDS)[K]['schema'];
  },
  { additionalProperties: true },
);

const { properties: configured } = referralConfig;
/** The program's rates in events. */
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
/** The configuration in responses; the program itself uses `ReferralConfig`, in which rates are × 10 000. */
export type ReferralConfigDto = Static<typeof referralConfig>;
/** Earlier link variables, whose links still credit affiliates. */
export const formerVariables = array(string);
export const referralConfigBody = object({
  referral_config: optional(deferredMap(someReferralConfig)),
  /** Changes the currency even while a payout is open or money is owed in the present one. */
  confirm: optional(deferred(boolean)),
});

const { clawback, refundFlat, stalePendingDays, fraud } = optionSchema.properties;
const DOMAINS_MAX = 1000;

/** The option's schema for a request: without default, because absent values do not change. */
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
    is_enabled: yesNo,
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
  enabled: yesNo,
  placeholder: string,
  share_url: string,
});
const colors = object({ qr_color: string, qr_bg_color: string });
const switches = array(object({ key: string, enabled: yesNo }));
/** Settings of the features that have some. Extensions may have others. */
export const featureDetails = {
  settings: optional(Type.Unsafe<unknown>({ anyOf: [colors, switches, anyObject] })),
  platforms: optional(array(platform)),
  enabled_keys: optional(array(string)),
};
export type Feature = Static<typeof feature>;
export const featureResponse = Type.Object(
  { is_enabled: yesNo, feature_key: string, ...featureDetails },
  extensible,
);
export type FeatureResponse = Static<typeof featureResponse>;
export const featureSaved = Type.Object({ message: string, ...featureDetails }, extensible);
export type FeatureSaved = Static<typeof featureSaved>;
