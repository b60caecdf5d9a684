import {
  affiliateColumns,
  anyObject,
  array,
  boolean,
  dateTime,
  filterWord,
  hostUser,
  Id,
  integer,
  listQuery,
  mapOrEmptyList,
  nestedAffiliate,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  referralColumns,
  string,
  text,
  textarea,
  Type,
  userDetails,
} from '../../http/schema.js';
import { COMMISSION_CHANGES, UNPAID_REASONS } from './types.js';

export const payoutParams = object({ id: Id });
export const transactionParams = object({ id: Id, transaction_id: Id });

export const payoutListQuery = listQuery(10, { status: filterWord });
export const payoutReferralQuery = listQuery(10, {
  affiliate_id: filterWord,
  with_affiliate_lists: filterWord,
});
export const transactionListQuery = listQuery(10, { status: filterWord });
export const transactionExportQuery = listQuery(10, {
  status: filterWord,
  method: optional(text(50)),
  part: optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

// The fields are judged together with the program's currency and time zone, so the service does it (payouts §5.2).
export const payoutConfig = object({
  config: optional(
    Type.Unsafe<unknown>({
      description:
        'title, description, affiliate_ids, start_date, end_date, min_payout, currency, payout_method, preview_token; others reach the filters.',
      examples: [
        {
          title: 'January',
          description: 'Run for January',
          start_date: '2026-01-01',
          end_date: '2026-01-31',
          min_payout: 20,
          affiliate_ids: [3],
        },
      ],
    }),
  ),
});

export const payoutPatch = object({
  title: optional(text(192, 3)),
  description: optional(textarea(5000, 3)),
});
export const transactionPatch = object({
  status: oneOf('processing', 'paid'),
  confirm: optional(boolean),
});
export const bulkAction = object({ status: optional(oneOf('paid')), confirm: optional(boolean) });

const idOrNull = nullable(integer);
const payoutFields = {
  id: integer,
  created_by: idOrNull,
  total_amount: number,
  payout_method: string,
  status: string,
  currency: nullable(string),
  title: string,
  description: nullable(string),
  settings: mapOrEmptyList,
  created_at: dateTime,
  updated_at: dateTime,
};
const counts = { referrals_count: integer, transactions_count: integer, affiliates_count: integer };
const transactionFields = {
  id: integer,
  created_by: idOrNull,
  affiliate_id: idOrNull,
  payout_id: idOrNull,
  total_amount: number,
  payout_method: string,
  status: string,
  currency: nullable(string),
  settings: nullable(mapOrEmptyList),
  created_at: dateTime,
  updated_at: dateTime,
};

export const payoutRecord = object(payoutFields);
export const payoutWithCounts = object({ ...payoutFields, ...counts });
export const payoutPage = object({ payouts: pageOf(payoutWithCounts) });
export const payoutView = object({
  payout: object({
    ...payoutFields,
    ...counts,
    creator: nullable(hostUser),
    changed: object({ transactions_count: integer, referrals_count: integer, not_due_amount: number }),
  }),
});
export const payoutAnswer = object({ payout: payoutWithCounts, message: string });

export const previewAnswer = object({
  payable_affiliates: array(
    object({
      ...affiliateColumns,
      user_details: userDetails,
      user: nullable(hostUser),
      payable_referral_count: integer,
      total_payable_amount: number,
    }),
  ),
  payable_total_amount: number,
  config: anyObject,
  currency: string,
  payable_affiliates_count: integer,
  payable_referral_count: integer,
  truncated: boolean,
  preview_token: string,
  skipped: array(object({ currency: string, amount: number, referral_count: integer })),
  unpaid: array(
    object({
      reason: oneOf(...UNPAID_REASONS),
      currency: string,
      amount: number,
      referral_count: integer,
      affiliates_count: integer,
    }),
  ),
  left_out: array(
    object({
      affiliate_id: idOrNull,
      reason: oneOf(...UNPAID_REASONS),
      currency: string,
      amount: number,
      referral_count: integer,
      until: dateTime,
    }),
  ),
  left_out_truncated: boolean,
  warnings: array(object({ affiliate_id: integer, code: string })),
  unknown_affiliate_ids: array(integer),
});

const idFilter = optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
export const itemQuery = listQuery(10, { transaction_id: idFilter, affiliate_id: idFilter });
export const itemPage = object({
  items: pageOf(
    object({
      referral_id: integer,
      transaction_id: integer,
      transaction_status: string,
      affiliate_id: integer,
      amount: number,
      currency: string,
      due_amount: number,
      change: nullable(oneOf(...COMMISSION_CHANGES)),
      referral: nullable(anyObject),
    }),
  ),
});
export const payoutReferrals = object({
  referrals: pageOf(object({ ...referralColumns, affiliate: optional(nullable(nestedAffiliate)) })),
  affiliate_lists: optional(array(anyObject)),
});
export const transactionRecord = object(transactionFields);
export const transactionPage = object({
  transactions: pageOf(
    object({
      ...transactionFields,
      affiliate: nullable(nestedAffiliate),
      changed_count: integer,
      not_due_amount: number,
    }),
  ),
  processing_count: integer,
});
/** A row of `GET /affiliates/{id}/transactions`. */
export const affiliateTransactionRow = object({
  ...transactionFields,
  payout: nullable(payoutRecord),
  currency_symbol: string,
  referrals_count: integer,
});
export const transactionExport = object({ transactions: array(anyObject), limited: boolean, total: integer });
export const transactionAnswer = object({
  transaction: object({ ...transactionFields, affiliate: nullable(nestedAffiliate) }),
  processing_count: integer,
  message: string,
});
const leftOut = {
  transaction_id: integer,
  affiliate_id: idOrNull,
  amount: number,
  code: oneOf('missing_payment_details', 'commissions_changed'),
};
export const bulkAnswer = object({
  processing_count: integer,
  left_out_count: integer,
  left_out: array(object(leftOut)),
  message: optional(string),
});
const method = {
  key: string,
  title: string,
  details: nullable(oneOf('payment_email', 'bank_details')),
};
export const payoutMethods = object({ methods: array(object(method)) });
export const payoutMethodsFor = object({
  methods: array(
    object({
      ...method,
      transactions_count: integer,
      total_amount: number,
      left_out_count: integer,
      left_out_amount: number,
      left_out: array(object({ ...leftOut, affiliate: nullable(anyObject) })),
    }),
  ),
});
