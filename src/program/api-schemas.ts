import type { Static, TSchema } from 'typebox';
import type { FieldAnswer } from '../core/answer.js';
import { numberOf, wireIdOf, yesNo } from '../core/dto-schema.js';
import {
  array,
  dateTime,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  Type,
} from '../platform/http/schema.js';
import { affiliates, settingsSchema as affiliateSettings } from './affiliates/record.js';
import { GROUP_VALUE, groups } from './groups/record.js';

// Affiliates, groups and users as responses of several modules show them.

export { affiliateSettings };
export const affiliateStatus = affiliates.wire.status;

/** An applicant's answer in a field of the registration form. */
export const response = Type.Unsafe<FieldAnswer>({
  anyOf: [{ type: ['string', 'number', 'boolean', 'null'] }, { type: 'array', items: { type: 'string' } }],
});
/** The host's user in lists. For a user the host no longer knows, all but the id are empty. */
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

/** Name and address of an affiliate. For a user the host no longer knows, only the ids. */
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

const { id, meta_key: name, value, created_at, updated_at } = groups.wire;
const { rate_type, rate, status, notes } = GROUP_VALUE;
export const groupRecord = named(
  'Group',
  object({
    id,
    meta_key: name,
    name,
    rate_type,
    rate,
    status,
    notes,
    description: notes,
    value,
    affiliates_count: integer,
    visits_count: integer,
    total_earnings: number,
    object_type: string,
    object_id: integer,
    created_at,
    updated_at,
  }),
);
export type GroupDto = Static<typeof groupRecord>;

/** The rate that applies to an affiliate, and where it comes from. */
export const rateDetails = named(
  'RateDetails',
  object({
    /** The program's own flat rate is called `fixed`, as in its configuration. */
    type: oneOf('percentage', 'flat', 'fixed'),
    rate: number,
    is_custom: yesNo,
    is_default: optional(yesNo),
    human_readable: string,
    group: optional(nullable(groupRecord)),
  }),
);
export type RateDto = Static<typeof rateDetails>;

/** Columns of an affiliate that imports can set, besides those every old system has. */
export const importedColumns = affiliates.uses.import;
/** What affiliates see of their own row in the portal. */
export const ownColumns: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries<TSchema>(affiliates.wire).filter(([name]) => affiliates.uses.portal.includes(name)),
);
export const affiliateColumns = { ...affiliates.wire, group_id: nullable(wireIdOf) };
const affiliateOnly = object(affiliateColumns);
export type AffiliateColumnsDto = Static<typeof affiliateOnly>;

/** An affiliate inside another record. */
export const nestedAffiliate = named(
  'NestedAffiliate',
  Type.Object({ ...affiliateColumns, user_details: userDetails, user: nullable(hostUser) }),
);
export type NestedAffiliateDto = Static<typeof nestedAffiliate>;
export type UserDto = Static<typeof hostUser>;
export type UserDetailsDto = Static<typeof userDetails>;

const byReason = Type.Unsafe<Readonly<Record<string, number>>>({
  type: 'object',
  additionalProperties: number,
  description: 'Canceled amount by reason',
});

/** The money in one currency by state. */
const balanceRecord = named(
  'Balance',
  Type.Object({
    currency: string,
    payable: numberOf('Ready to pay'),
    waiting: numberOf('In the waiting period'),
    held: numberOf("On hold: needs review, or the order isn't paid"),
    on_its_way: numberOf("On its way: in a payout that isn't confirmed"),
    paid: numberOf('Paid: the payment is confirmed'),
    canceled: numberOf('Canceled: the original amount of canceled commissions'),
    canceled_reasons: byReason,
  }),
);
export const balanceList = array(balanceRecord);
export type BalanceDto = Static<typeof balanceRecord>;

/** An affiliate as lists and answers to writes show it. */
export const affiliateRecord = named(
  'Affiliate',
  object({
    ...nestedAffiliate.properties,
    bank_details: string,
    rate_details: rateDetails,
    group: nullable(groupRecord),
    /** By currency, the program's first. */
    balances: balanceList,
  }),
);
export type AffiliateDto = Static<typeof affiliateRecord>;

/** How far a long operation is: part of each response that lists them. */
export const progressFields = {
  done: integer,
  total: integer,
  /** Null while it is unknown. */
  per_second: nullable(number),
  /** For the rest, at the rate so far. */
  seconds_left: nullable(integer),
  /** The code of the error that stopped it. */
  reason: nullable(string),
  /** The sentence of that error, if it is meant for people. */
  message: nullable(string),
  started_at: dateTime,
  seen_at: dateTime,
};
const progress = object(progressFields);
export type ProgressDto = Static<typeof progress>;
