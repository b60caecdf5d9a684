import type { Static } from 'typebox';
import { numberOf } from '../core/dto-schema.js';
import { LEFT_OUT } from '../core/rewards/evaluate.js';
import { REWARD_KINDS } from '../core/rewards/types.js';
import {
  anyObject,
  array,
  boolean,
  integer,
  mapOf,
  named,
  nullable,
  number,
  object,
  oneOf,
  string,
  Type,
} from '../platform/http/schema.js';
import { nestedAffiliate } from '../program/api-schemas.js';
import { MONEY_STATES } from './balances/words.js';
import { customers } from './customers/record.js';
import { payouts, transactions } from './payouts/record.js';
import { referrals } from './referrals/record.js';
import { visits } from './visits/record.js';

// Visits, commissions, payouts and customers as responses of several modules show them.

export const referralStatus = referrals.wire.status;
export const payoutStatus = payouts.wire.status;

/** The state of one commission, beside its own columns. */
export const commissionState = {
  state: oneOf(...MONEY_STATES),
  counted_amount: numberOf('Amount that counts. 0 if the commission is canceled.'),
  would_have_been: nullable(numberOf('Original amount of a canceled commission; `null` in other states')),
} as const;
const stateOnly = object(commissionState);
export type CommissionStateDto = Static<typeof stateOnly>;

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
