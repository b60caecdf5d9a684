import type { Static, TSchema } from 'typebox';
import { affiliates, settingsSchema as affiliateSettings } from './program/affiliates/record.js';
import { balanceList, commissionState, type balanceRecord } from './accounting/balances/record.js';
import { customers } from './accounting/customers/record.js';
import { GROUP_VALUE, groups } from './program/groups/record.js';
import { payouts, transactions } from './accounting/payouts/record.js';
import { referrals } from './accounting/referrals/record.js';
import { visits } from './accounting/visits/record.js';
import { numberOrBlank, numberOrText, wireIdOf, yesNo } from './core/dto-schema.js';
import type { FieldAnswer } from './core/answer.js';
import {
  array,
  boolean,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  Type,
  anyObject,
  mapOf,
} from './platform/http/schema.js';
import { LEFT_OUT } from './core/rewards/evaluate.js';
import { REWARD_EVENTS, REWARD_KINDS, REWARD_SCOPES, type Condition } from './core/rewards/types.js';

// Records as answers show them, shared by several modules.

export { balanceList, commissionState };
export { affiliateSettings, numberOrBlank, numberOrText, wireIdOf, yesNo };
export const affiliateStatus = affiliates.wire.status;
export const referralStatus = referrals.wire.status;
export const payoutStatus = payouts.wire.status;

/** The answer of a write that has no record to show. */
export const messageResponse = object({ message: string });

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

export type BalanceDto = Static<typeof balanceRecord>;
const stateOnly = object(commissionState);
export type CommissionStateDto = Static<typeof stateOnly>;

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

export const visitRecord = named('Visit', object(visits.wire));
export type VisitDto = Static<typeof visitRecord>;

/** A referral in the record of its visit. */
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
  object({ ...visits.wire, referrals: array(referralOfVisit) }),
);
export type VisitWithReferralsDto = Static<typeof visitWithReferrals>;

export const referralColumns = referrals.wire;
export const referralRecord = named('Referral', object(referralColumns));
export type ReferralDto = Static<typeof referralRecord>;

/** A referral with the address of its order in the shop's back office. */
export const referralWithUrl = named(
  'ReferralWithUrl',
  object({ ...referralColumns, ...commissionState, provider_url: string }),
);
export type ReferralWithUrlDto = Static<typeof referralWithUrl>;

/** A row of the referral lists. */
export const referralWithAffiliate = named(
  'ReferralWithAffiliate',
  object({
    ...referralColumns,
    ...commissionState,
    provider_url: string,
    affiliate: nullable(nestedAffiliate),
  }),
);
export type ReferralWithAffiliateDto = Static<typeof referralWithAffiliate>;

export const payoutRecord = named('Payout', object(payouts.wire));
export type PayoutDto = Static<typeof payoutRecord>;

/** A row of the payout list. */
export const payoutWithCounts = named(
  'PayoutWithCounts',
  object({
    ...payoutRecord.properties,
    referrals_count: integer,
    transactions_count: integer,
    affiliates_count: integer,
    /** Payments of it were tried in a sandbox, where no money moves. */
    sandbox: boolean,
  }),
);
export type PayoutWithCountsDto = Static<typeof payoutWithCounts>;

export const transactionColumns = object(transactions.wire);
export type TransactionColumnsDto = Static<typeof transactionColumns>;

/** What one affiliate gets in one payout. */
export const transactionRecord = named(
  'Transaction',
  object({ ...transactionColumns.properties, affiliate: nullable(nestedAffiliate) }),
);
export type TransactionDto = Static<typeof transactionRecord>;

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
export type TransactionOfAffiliateDto = Static<typeof transactionOfAffiliate>;

export const customerColumns = { ...customers.wire, full_name: string, photo: string };
export const customerRecord = named('Customer', object(customerColumns));
export type CustomerDto = Static<typeof customerRecord>;

/** What somebody entered in a field of the registration form. */
export const response = Type.Unsafe<FieldAnswer>({
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
export type CardDto = Static<typeof card>;

/** Labels of the time axis and one line of whole numbers per series. */
export const chartResponse = named(
  'Chart',
  object({ xAxisData: array(string), series: array(object({ name: string, data: array(integer) })) }),
);

/** A condition with the values it saw; `unknown` counts as false. */
export interface SeenConditionDto {
  readonly kind: 'all' | 'any' | 'not' | 'comparison';
  readonly result: 'true' | 'false' | 'unknown';
  readonly parts: readonly SeenConditionDto[];
  readonly fact?: string;
  readonly op?: string;
  readonly value?: unknown;
  readonly seen?: readonly unknown[];
}
const seenCondition = Type.Unsafe<SeenConditionDto>({
  type: 'object',
  description:
    '`kind`, `result` (true, false or unknown) and `parts`; a comparison also has `fact`, `op`, `value` and `seen`',
  additionalProperties: true,
});
/** A rule that did not count, and why: it was not asked (`left_out`), did not match, or others came before it. */
export const otherRule = object({
  key: string,
  title: string,
  outcome: oneOf('counted', 'later', 'no_match', 'left_out'),
  left_out: nullable(oneOf(...LEFT_OUT)),
  condition: nullable(seenCondition),
});
/**
 * What a rule gave, or a rate of the settings (`affiliate`, `group`, `global`, `renewal`, `lifetime`, `lead`,
 * `product`, `category`), with its sentence in every language of the portal.
 */
export const countedRule = object({
  from: oneOf('rules', 'settings'),
  key: string,
  title: string,
  kind: oneOf(...REWARD_KINDS),
  values: mapOf(string),
  sentences: mapOf(string),
});
/** The reward rules of a recorded order; without a set, only the rates of the settings count. */
export const explainedRules = named(
  'ExplainedRules',
  object({
    set_id: nullable(integer),
    version: nullable(integer),
    facts: anyObject,
    facts_hash: string,
    counted: array(countedRule),
    others: array(otherRule),
  }),
);
export type RulesDto = Static<typeof explainedRules>;

const decimal = Type.Unsafe<string>({ type: 'string', description: 'Decimal text, such as "12.5"' });
/** `{ all }`, `{ any }`, `{ not }` or `{ fact, op, value }`. */
export const condition = Type.Unsafe<Condition>({
  type: 'object',
  description: '`{ all: [...] }`, `{ any: [...] }`, `{ not: {...} }` or `{ fact, op, value }`',
  additionalProperties: true,
});
export const reward = object({
  kind: oneOf(...REWARD_KINDS),
  value: decimal,
  every: optional(integer),
  cap: optional(mapOf(decimal)),
  months: optional(integer),
  payments: optional(integer),
  hold_days: optional(integer),
});

const rateOfProgram = object({ type: oneOf('percentage', 'flat'), rate: number });
const term = object({
  key: string,
  title: string,
  event: oneOf(...REWARD_EVENTS),
  scope: oneOf(...REWARD_SCOPES),
  /** The campaigns, and the addresses of the affiliate's own short links, whose orders the rule is for. */
  links: array(string),
  /** Rules of the most specific scope are asked first, within a scope those of a higher priority. */
  priority: integer,
  reward,
  when: nullable(condition),
  sentences: mapOf(string),
});

/** A rate of affiliate, group, program, renewals, customers who come back, or leads. */
const termRate = object({
  event: oneOf('sale', 'renewal', 'lead'),
  source: string,
  ...rateOfProgram.properties,
  /** Payments of a subscription that earn, the first one included; null without a limit. */
  payments: nullable(integer),
  /** Months of a subscription that earn; null without a limit. */
  months: nullable(integer),
  sentences: mapOf(string),
});

/** The reward rules that count now; \`base\` counts where none of them does. */
export const rewardTerms = object({
  version: nullable(integer),
  currency: string,
  base: rateOfProgram,
  /** The rates that count where no rule does; an event that earns nothing has none. */
  rates: array(termRate),
  rules: array(term),
});
export type TermsDto = Static<typeof rewardTerms>;
