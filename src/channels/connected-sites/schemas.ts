import type { Static, TUnsafe } from 'typebox';
import {
  array,
  boolean,
  formOf,
  Id,
  integer,
  deferred,
  deferredMap,
  money,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { referralStatus } from '../../accounting/api-schemas.js';
import { yesNo } from '../../core/dto-schema.js';
import { affiliateStatus } from '../../program/api-schemas.js';
import { sites } from './record.js';
import { SITE_STATUSES } from './rules.js';

// Bodies.

export const statusBody = object({ status: oneOf('yes', 'no') });
/** Text that clients also send as a number: ids of sites and products, references, values of links. */
const word = (max: number, min = 1): TUnsafe<string | number> =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    clean: 'text',
    minLength: min,
    maxLength: max,
  });
const siteId = word(20);
const siteSettings = object({ site_url: optional(string), ...formOf(sites.form) });
/** The settings are in `data` or beside `site_id`; the service checks them. */
export const updateBody = object({ site_id: siteId, data: optional(deferredMap(siteSettings)) });
export const disconnectBody = object({ site_id: siteId });
/** The service checks them, since each malformed field has an error of its own. */
export const issueBody = object({
  site_url: optional(deferred(string)),
  site_title: optional(deferred(string)),
  child_token: optional(deferred(string)),
});

export const lookupParams = object({ param: Type.String() });
/** Unix seconds; sent with a report that could not be delivered when it happened. */
const occurredAt = Type.Unsafe<number>({ type: 'integer', minimum: 0, maximum: 253_402_300_799 });

export const visitBody = object({
  affiliate_param: word(191),
  url: Type.Unsafe<string>({ type: 'string', minLength: 1 }),
  referrer: optional(deferred(nullable(string))),
  utm_campaign: optional(deferred(nullable(string))),
  utm_medium: optional(deferred(nullable(string))),
  utm_source: optional(deferred(nullable(string))),
  sub1: optional(deferred(nullable(string))),
  sub2: optional(deferred(nullable(string))),
  sub3: optional(deferred(nullable(string))),
  sub4: optional(deferred(nullable(string))),
  sub5: optional(deferred(nullable(string))),
  ip: optional(text(64)),
  current_param: optional(deferred(nullable(string))),
  visit_id: optional(Id),
  event_id: optional(word(64, 0)),
  occurred_at: optional(occurredAt),
});
export type SiteVisitInput = Static<typeof visitBody>;
// Unknown keys are not removed, so that `checkInput` can refuse them.
const product = object(
  {
    item_id: word(191),
    title: optional(text(255)),
    subtotal: optional(money),
    tax: optional(money),
    discount: optional(money),
    total: optional(money),
  },
  { additionalProperties: true },
);
export type SiteProduct = Static<typeof product>;
const customer = object(
  {
    email: optional(text(191)),
    first_name: optional(text(191)),
    last_name: optional(text(191)),
    ip: optional(text(64)),
  },
  { additionalProperties: true },
);
export const conversionBody = object(
  {
    reference: word(150),
    affiliate_param: optional(word(191, 0)),
    visit_id: optional(Id),
    order: object(
      {
        subtotal: money,
        tax: optional(money),
        shipping: optional(money),
        discount: optional(money),
      },
      { additionalProperties: true },
    ),
    currency: optional(text(3)),
    status: optional(oneOf('pending', 'unpaid')),
    type: optional(oneOf('sale', 'opt_in')),
    description: optional(text(500)),
    customer: optional(customer),
    products: optional(Type.Array(product, { maxItems: 100 })),
    amount: optional(money),
    occurred_at: optional(occurredAt),
    /** The visitor's latest click, as the response to a visit gave it. */
    click: optional(text(64)),
  },
  { additionalProperties: true },
);
export type SiteConversionInput = Static<typeof conversionBody>;
export const leadBody = object(
  {
    reference: word(150),
    kind: word(30),
    affiliate_param: optional(word(191, 0)),
    visit_id: optional(Id),
    description: optional(text(255)),
    customer,
    defer: optional(boolean),
    occurred_at: optional(occurredAt),
  },
  { additionalProperties: true },
);
export type SiteLeadInput = Static<typeof leadBody>;
export const referenceParams = object({ reference: Type.String() });
// Unknown keys are not removed, so that a misspelled refund is refused.
export const followUpBody = object(
  {
    status: optional(oneOf('unpaid', 'rejected')),
    /** Everything the buyer got back so far, tax included. */
    refunded_total: optional(money),
    /** The same, as a part of the amount that the commission was computed from. */
    refunded_base: optional(money),
  },
  { additionalProperties: true },
);
export type SiteFollowUp = Static<typeof followUpBody>;

// Answers.

/** A connected site, without its token. */
export const siteRecord = named('ConnectedSite', object(sites.wire, { additionalProperties: false }));
export type SiteDto = Static<typeof siteRecord>;
const config = object({ status: yesNo, sites: array(siteRecord) });
export type SitesDto = Static<typeof config>;
export const configResponse = object({ config });
export const configSaved = object({ message: string, config });
export const siteSaved = object({ message: string, site: siteRecord });
export const tested = object({ reachable: boolean });
export const issued = object({
  site_id: string,
  server_token: string,
  param_key: string,
  cookie_duration: integer,
  primary_url: string,
  message: string,
  rotated: boolean,
  new_site: object(
    {
      site_id: string,
      site_url: string,
      site_title: string,
      status: oneOf(...SITE_STATUSES),
      logo: string,
      description: string,
      subtitle: string,
    },
    { additionalProperties: false },
  ),
  connect_config: string,
});
export type IssuedSiteDto = Static<typeof issued>;
export const handshakeResponse = object({
  site: object({ site_id: string, site_url: string, site_title: string, status: oneOf(...SITE_STATUSES) }),
  primary: object({ name: string, url: string, portal_url: string, referral_variable: string }),
  param_key: string,
  former_params: array(string),
  cookie_duration: integer,
  credit_last_referrer: yesNo,
  referral_format: string,
  currency: string,
  server_time: integer,
});
export type Handshake = Static<typeof handshakeResponse>;
export const lookupResponse = object({
  affiliate: object({ id: integer, param: string, status: affiliateStatus }, { additionalProperties: false }),
});
export const visitResponse = object({
  message: string,
  visit_id: nullable(integer),
  affiliate_id: integer,
  created: boolean,
  /** The cookie that the site sets for its visitor; null when the visitor's cookie does not change. */
  cookie: nullable(object({ name: string, value: string, max_age_days: integer })),
  /** What the site stores in its cookie and sends with an order: the click, for the rules against fraud. */
  click: string,
});
const siteReferral = object({
  id: integer,
  reference: string,
  status: referralStatus,
  amount: number,
  currency: string,
  affiliate_id: nullable(integer),
});
export type SiteReferral = Static<typeof siteReferral>;
export type SiteVisitResponse = Static<typeof visitResponse>;
export const conversionResponse = object({
  referral: nullable(siteReferral),
  created: boolean,
  /** Why nothing was credited. */
  ignored: optional(string),
});
export type SiteConversionResponse = Static<typeof conversionResponse>;
export const followUpResponse = object({
  referral: nullable(siteReferral),
  changed: boolean,
  /** `locked`: stored, but nothing could be booked; `deleted`: a person deleted the commission. */
  reason: optional(oneOf('locked', 'deleted')),
});
export type SiteFollowUpResponse = Static<typeof followUpResponse>;
