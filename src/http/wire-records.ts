import type { Static } from 'typebox';
import type { Answer } from '../core/answer.js';
import {
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  mapOrEmptyList,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  Type,
} from './schema.js';

// Records that answers of several modules carry, as they stand on the wire.

export const yesNo = oneOf('yes', 'no');
export const affiliateStatus = oneOf('pending', 'active', 'inactive');
export const referralStatus = oneOf('paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing');
export const referralType = oneOf(
  'sale',
  'opt_in',
  'payment',
  'recurring_sale',
  'lifetime_sale',
  'lead',
  'adjustment',
);
export const payoutStatus = oneOf('draft', 'processing', 'paid');

/** What a write without a record to show answers. */
export const messageAnswer = object({ message: string });

/** The host's user as lists show it; all but the id are empty for a user the host no longer knows. */
export const hostUser = named(
  'User',
  object({
    ID: nullable(integer),
    user_login: string,
    user_email: string,
    user_url: string,
    display_name: string,
    full_name: string,
    photo: string,
  }),
);

/** Name and address of an affiliate; only the ids for a user the host no longer knows. */
export const userDetails = named(
  'UserDetails',
  object({
    affiliate_id: integer,
    user_id: optional(nullable(integer)),
    full_name: optional(string),
    edit_url: optional(string),
    email: optional(string),
    avatar: optional(string),
    website: optional(string),
    user_name: optional(string),
    user_email: optional(string),
  }),
);

/** A number; text for clients that compare ids as texts (option `compat`). */
export const wireIdOf = Type.Unsafe<number | string>({ type: ['integer', 'string'] });

/** A whole number, or `""` where none is set. */
export const numberOrBlank = Type.Unsafe<number | ''>({
  anyOf: [{ type: 'integer' }, { type: 'string', enum: [''] }],
});

/** What a group decides for its members. Extensions may keep more in it. */
const groupValue = named(
  'GroupValue',
  Type.Object(
    {
      rate_type: oneOf('percentage', 'flat', 'default'),
      rate: number,
      status: oneOf('active', 'inactive'),
      notes: string,
      enable_subscription_renewal: yesNo,
      renewal_rate_type: oneOf('percentage', 'fixed'),
      renewal_rate: number,
      max_renewal_count: integer,
      enable_lifetime_commission: yesNo,
      lifetime_rate_type: oneOf('percentage', 'fixed'),
      lifetime_rate: number,
      lifetime_expiry_days: numberOrBlank,
      hold_days: numberOrBlank,
      renewal_max_months: numberOrBlank,
    },
    { additionalProperties: true },
  ),
);

export const groupRecord = named(
  'Group',
  object({
    id: integer,
    meta_key: string,
    name: string,
    rate_type: oneOf('percentage', 'flat', 'default'),
    rate: number,
    status: oneOf('active', 'inactive'),
    notes: string,
    description: string,
    value: groupValue,
    affiliates_count: integer,
    visits_count: integer,
    total_earnings: number,
    object_type: string,
    object_id: integer,
    created_at: dateTime,
    updated_at: dateTime,
  }),
);
export type WireGroup = Static<typeof groupRecord>;

/** The rate that counts for an affiliate and where it comes from. */
export const rateDetails = named(
  'RateDetails',
  object({
    type: string,
    rate: number,
    is_custom: yesNo,
    is_default: optional(yesNo),
    human_readable: string,
    group: optional(nullable(groupRecord)),
  }),
);
export type WireRate = Static<typeof rateDetails>;

export const affiliateColumns = {
  id: integer,
  contact_id: nullable(integer),
  user_id: nullable(integer),
  group_id: nullable(wireIdOf),
  rate: nullable(number),
  total_earnings: number,
  unpaid_earnings: number,
  referrals: integer,
  visits: integer,
  lead_counts: integer,
  rate_type: oneOf('default', 'group', 'flat', 'percentage'),
  custom_param: nullable(string),
  payment_email: nullable(string),
  status: affiliateStatus,
  settings: Type.Object({
    disable_new_ref_email: yesNo,
    bank_details: string,
    disable_payout_email: optional(yesNo),
  }),
  custom_fields: mapOrEmptyList,
  note: nullable(string),
  created_at: dateTime,
  updated_at: dateTime,
};
const affiliateOnly = object(affiliateColumns);
export type WireAffiliateColumns = Static<typeof affiliateOnly>;

/** The affiliate inside another record. */
export const nestedAffiliate = named(
  'NestedAffiliate',
  Type.Object({ ...affiliateColumns, user_details: userDetails, user: nullable(hostUser) }),
);
export type WireNestedAffiliate = Static<typeof nestedAffiliate>;
export type WireUser = Static<typeof hostUser>;
export type WireUserDetails = Static<typeof userDetails>;

/** An affiliate as lists and answers to writes show it. */
export const affiliateRecord = named(
  'Affiliate',
  object({
    ...nestedAffiliate.properties,
    bank_details: string,
    rate_details: rateDetails,
    group: nullable(groupRecord),
  }),
);
export type WireAffiliate = Static<typeof affiliateRecord>;

export const visitColumns = {
  id: integer,
  affiliate_id: nullable(integer),
  user_id: nullable(integer),
  referral_id: nullable(integer),
  url: string,
  referrer: nullable(string),
  utm_campaign: nullable(string),
  utm_medium: nullable(string),
  utm_source: nullable(string),
  ip: nullable(string),
  created_at: dateTime,
  updated_at: dateTime,
};
export const visitRecord = named('Visit', object(visitColumns));
export type WireVisit = Static<typeof visitRecord>;

/** What a visit shows of a referral it led to. */
export const referralOfVisit = named(
  'VisitReferral',
  Type.Object({
    id: integer,
    visit_id: integer,
    status: referralStatus,
    amount: number,
    currency: string,
  }),
);
/** A visit with the referrals it led to. */
export const visitWithReferrals = named(
  'VisitWithReferrals',
  object({ ...visitColumns, referrals: array(referralOfVisit) }),
);
export type WireVisitWithReferrals = Static<typeof visitWithReferrals>;

/** A figure that may be written out. */
export const numberOrText = Type.Unsafe<number | string>({ type: ['number', 'string'] });

/** A line of an order. Shops add keys of their own. */
const product = named(
  'Product',
  Type.Unsafe<Readonly<Record<string, unknown>>>(
    Type.Object(
      {
        item_id: optional(nullable(wireIdOf)),
        title: optional(nullable(string)),
        subtotal: optional(nullable(numberOrText)),
        tax: optional(nullable(numberOrText)),
        discount: optional(nullable(numberOrText)),
        total: optional(nullable(numberOrText)),
        price: optional(nullable(numberOrText)),
      },
      { additionalProperties: true },
    ),
  ),
);

export const referralColumns = {
  id: integer,
  affiliate_id: nullable(integer),
  parent_id: nullable(integer),
  customer_id: nullable(integer),
  visit_id: nullable(integer),
  description: nullable(string),
  status: referralStatus,
  amount: number,
  order_total: nullable(number),
  currency: nullable(string),
  utm_campaign: nullable(string),
  provider: nullable(string),
  provider_id: nullable(wireIdOf),
  provider_sub_id: nullable(string),
  products: nullable(array(product)),
  payout_transaction_id: nullable(integer),
  payout_id: nullable(integer),
  type: referralType,
  settings: nullable(anyObject),
  payable_at: dateTime,
  created_at: dateTime,
  updated_at: dateTime,
};
export const referralRecord = named('Referral', object(referralColumns));
export type WireReferral = Static<typeof referralRecord>;

/** A referral with the address of its order in the shop's back office. */
export const referralWithUrl = named('ReferralWithUrl', object({ ...referralColumns, provider_url: string }));
export type WireReferralWithUrl = Static<typeof referralWithUrl>;

/** A row of the referral lists. */
export const referralWithAffiliate = named(
  'ReferralWithAffiliate',
  object({ ...referralColumns, provider_url: string, affiliate: nullable(nestedAffiliate) }),
);
export type WireReferralWithAffiliate = Static<typeof referralWithAffiliate>;

export const payoutRecord = named(
  'Payout',
  object({
    id: integer,
    created_by: nullable(integer),
    total_amount: number,
    payout_method: string,
    status: payoutStatus,
    currency: nullable(string),
    title: string,
    description: nullable(string),
    /** What the run was asked for; rows that were moved in carry what their system kept. */
    settings: mapOrEmptyList,
    created_at: dateTime,
    updated_at: dateTime,
  }),
);
export type WirePayout = Static<typeof payoutRecord>;

/** A row of the payout list. */
export const payoutWithCounts = named(
  'PayoutWithCounts',
  object({
    ...payoutRecord.properties,
    referrals_count: integer,
    transactions_count: integer,
    affiliates_count: integer,
  }),
);
export type WirePayoutWithCounts = Static<typeof payoutWithCounts>;

export const transactionColumns = object({
  id: integer,
  created_by: nullable(integer),
  affiliate_id: nullable(integer),
  payout_id: nullable(integer),
  total_amount: number,
  payout_method: string,
  status: oneOf('processing', 'paid'),
  currency: nullable(string),
  settings: nullable(mapOrEmptyList),
  created_at: dateTime,
  updated_at: dateTime,
});
export type WireTransactionColumns = Static<typeof transactionColumns>;

/** What one affiliate gets in one payout. */
export const transactionRecord = named(
  'Transaction',
  object({ ...transactionColumns.properties, affiliate: nullable(nestedAffiliate) }),
);
export type WireTransaction = Static<typeof transactionRecord>;

/** A payout transaction in the list of its affiliate. */
export const transactionOfAffiliate = named(
  'TransactionOfAffiliate',
  object({
    ...transactionColumns.properties,
    payout: nullable(payoutRecord),
    currency_symbol: string,
    referrals_count: integer,
  }),
);
export type WireTransactionOfAffiliate = Static<typeof transactionOfAffiliate>;

export const customerColumns = {
  id: integer,
  user_id: nullable(integer),
  by_affiliate_id: nullable(integer),
  email: nullable(string),
  first_name: nullable(string),
  last_name: nullable(string),
  ip: nullable(string),
  settings: nullable(anyObject),
  created_at: dateTime,
  updated_at: dateTime,
  full_name: string,
  photo: string,
};
export const customerRecord = named('Customer', object(customerColumns));
export type WireCustomer = Static<typeof customerRecord>;

/** What somebody answered in a field of the registration form. */
export const answer = Type.Unsafe<Answer>({
  anyOf: [{ type: ['string', 'number', 'boolean', 'null'] }, { type: 'array', items: { type: 'string' } }],
});
/** A field of the registration form. */
export const registrationField = named(
  'RegistrationField',
  object({
    name: string,
    type: string,
    label: string,
    placeholder: string,
    help_text: string,
    required: yesNo,
    enabled: yesNo,
    readonly: yesNo,
    value: string,
    system_defined: yesNo,
    disable_alter: yesNo,
    public_only: yesNo,
    is_hidden: yesNo,
    custom: yesNo,
    options: optional(array(string)),
    html: optional(string),
    inline_label: optional(string),
  }),
);

/** A figure as a card shows it; percentages are text. */
export const card = named(
  'Card',
  object(
    {
      title: string,
      amount: numberOrText,
      is_currency: boolean,
      is_number: optional(boolean),
      icon: string,
    },
    { additionalProperties: false },
  ),
);
export type WireCard = Static<typeof card>;

/** Labels of the time axis and one line of whole numbers per series. */
export const chartAnswer = named(
  'Chart',
  object({ xAxisData: array(string), series: array(object({ name: string, data: array(integer) })) }),
);
