import type { Static } from 'typebox';
import {
  array,
  boolean,
  dateTime,
  filterOf,
  filterWord,
  Id,
  integer,
  deferred,
  listQuery,
  money,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  recordFilters,
  sortedBy,
  string,
  text,
  textarea,
  Type,
} from '../../platform/http/schema.js';
import {
  payoutWithCounts,
  referralWithAffiliate,
  referralWithUrl,
  transactionRecord,
} from '../api-schemas.js';
import { wireIdOf } from '../../core/dto-schema.js';
import { hostUser, balanceList, nestedAffiliate, progressFields } from '../../program/api-schemas.js';
import { COMMISSION_CHANGES, UNPAID_REASONS } from './types.js';
import { payouts, transactions } from './record.js';
import { PAYOUT_STATUSES, TRANSACTION_STATUSES } from './words.js';

export const payoutParams = object({ id: Id });
export const transactionParams = object({ id: Id, transaction_id: Id });

export const payoutListQuery = listQuery(10, {
  ...recordFilters,
  ...sortedBy(payouts),
  status: filterOf(...PAYOUT_STATUSES),
});
export const payoutTotals = array(
  object({ currency: string, count: integer, amount: number, open_amount: number }),
);
export type PayoutTotal = Static<typeof payoutTotals>[number];
export const payoutReferralQuery = listQuery(10, {
  ...recordFilters,
  affiliate_id: filterWord,
  with_affiliate_lists: filterWord,
});
export const transactionListQuery = listQuery(10, {
  ...recordFilters,
  ...sortedBy(transactions),
  status: filterOf(...TRANSACTION_STATUSES),
});
export const transactionExportQuery = listQuery(10, {
  ...recordFilters,
  ...sortedBy(transactions),
  status: filterOf(...TRANSACTION_STATUSES),
  method: optional(text(50)),
  part: optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

// The service checks the fields, since they depend on the program's currency and time zone
// (docs/interface.md §9.1).
export const payoutConfig = object(
  {
    config: optional(
      deferred(
        Type.Object(
          {
            title: string,
            description: string,
            affiliate_ids: optional(array(wireIdOf)),
            start_date: optional(nullable(string)),
            end_date: optional(nullable(string)),
            min_payout: optional(nullable(money)),
            currency: optional(nullable(string)),
            payout_method: optional(nullable(string)),
            preview_token: optional(nullable(string)),
          },
          {
            additionalProperties: true,
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
          },
        ),
        "Dates are days in the site's time zone, both included. Unknown keys are passed to the filters of extensions.",
      ),
    ),
  },
  { demanded: ['config'] },
);

export const payeeTaken = object({ transaction: transactionRecord, message: string });

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
export const PAYOUT_COLUMNS = [
  'id',
  'title',
  'description',
  'status',
  'payout_method',
  'currency',
  'total_amount',
  'affiliates_count',
  'transactions_count',
  'referrals_count',
  'created_at',
] as const;
const changedSince = object({
  transactions_count: integer,
  referrals_count: integer,
  not_due_amount: number,
});
export type ChangedSinceDto = Static<typeof changedSince>;
/** Affiliates that the run had planned to pay, and whose commissions changed while it was made. */
const notPaid = object({ affiliate_id: integer, amount: number, code: oneOf('changed') });
export type NotPaidDto = Static<typeof notPaid>;
const notPaidOf = { left_out_count: integer, left_out: array(notPaid) };
const was = object({
  total_amount: number,
  transactions_count: integer,
  referrals_count: integer,
  undone_at: dateTime,
  undone_by: nullable(hostUser),
});
export type WasDto = Static<typeof was>;
const payoutDetails = object({
  ...payoutWithCounts.properties,
  creator: nullable(hostUser),
  /** A payout whose payments were all undone, as it was made. */
  was: nullable(was),
  changed: changedSince,
  ...notPaidOf,
});
export type PayoutDetailsDto = Static<typeof payoutDetails>;
export const payoutView = object({ payout: payoutDetails });
export const payoutResponse = object({ payout: payoutWithCounts, message: string });
export const processResponse = object({
  ...payoutResponse.properties,
  ...notPaidOf,
});

export const previewResponse = object({
  payable_affiliates: array(
    object({
      ...nestedAffiliate.properties,
      /** Where a run would pay: an address, bank details, or what is shown of the details of the method. */
      paid_to: string,
      payable_referral_count: integer,
      total_payable_amount: number,
    }),
  ),
  payable_total_amount: number,
  config: object({
    start_date: string,
    end_date: string,
    min_payout: number,
    affiliate_ids: array(integer),
  }),
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
  /** All affiliates together: the same sums as in every other window. */
  balances: balanceList,
  warnings: array(
    object({
      affiliate_id: integer,
      code: oneOf('missing_payment_details', 'affiliate_inactive', 'payee_changed'),
    }),
  ),
  unknown_affiliate_ids: array(integer),
});
export type PreviewDto = Static<typeof previewResponse>;

const idFilter = optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
export const itemQuery = listQuery(10, { transaction_id: idFilter, affiliate_id: idFilter });
export const payoutItem = object({
  referral_id: integer,
  transaction_id: integer,
  transaction_status: oneOf('processing', 'paid'),
  affiliate_id: integer,
  amount: number,
  currency: string,
  due_amount: number,
  change: nullable(oneOf(...COMMISSION_CHANGES)),
  referral: nullable(referralWithUrl),
});
export type PayoutItemDto = Static<typeof payoutItem>;
export const payoutReferrals = object({
  referrals: pageOf(referralWithAffiliate),
  affiliate_lists: optional(array(nestedAffiliate)),
});
const listedTransaction = object({
  ...transactionRecord.properties,
  /** Where it is paid: an address, bank details, or what is shown of the details of its method. */
  paid_to: string,
  changed_count: integer,
  /** The affiliate wants the money elsewhere than where this transaction pays it. */
  payee_changed: boolean,
  not_due_amount: number,
});
export type ListedTransactionDto = Static<typeof listedTransaction>;
export const transactionPage = object({
  transactions: pageOf(listedTransaction),
  processing_count: integer,
});
export const transactionExport = object({
  transactions: array(
    object({
      affiliate_id: nullable(integer),
      affiliate_name: string,
      email: string,
      payout_email: string,
      amount: number,
      currency: string,
      paid_to: string,
      payee_changed: oneOf('yes', 'no'),
    }),
  ),
  limited: boolean,
  total: integer,
});
export const transactionResponse = object({
  transaction: transactionRecord,
  processing_count: integer,
  message: string,
});
const leftOut = object({
  transaction_id: integer,
  affiliate_id: idOrNull,
  amount: number,
  code: oneOf('missing_payment_details', 'commissions_changed', 'payee_changed', 'payment_in_flight'),
});
export type LeftOutDto = Static<typeof leftOut>;
export const bulkResponse = object({
  processing_count: integer,
  left_out_count: integer,
  left_out: array(leftOut),
  message: optional(string),
});
const undo = object({
  currency: string,
  transactions_count: integer,
  total_amount: number,
  referrals_count: integer,
  not_due_amount: number,
  paid_count: integer,
  paid_amount: number,
});
export type UndoDto = Static<typeof undo>;
export const undoResponse = object({ undo });
export const undoForm = object({
  after_id: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export const undoneResponse = object({
  released_count: integer,
  released_amount: number,
  left_out: array(object({ ...leftOut.properties, code: string, message: string })),
  next_after_id: nullable(integer),
  processing_count: integer,
  payout: payoutWithCounts,
  message: string,
});
export type UndoneDto = Static<typeof undoneResponse>;
const running = object({
  kind: oneOf('payout', 'paid', 'undo'),
  payout_id: nullable(integer),
  running: boolean,
  ...progressFields,
  next_after_id: nullable(integer),
  left_out: undoneResponse.properties.left_out,
});
export type RunningDto = Static<typeof running>;
export const runningResponse = object({ works: array(running) });
const method = {
  key: string,
  title: string,
  details: nullable(oneOf('payment_email', 'bank_details')),
};
const methodChoice = object({ ...method, sandbox: boolean });
export type MethodChoiceDto = Static<typeof methodChoice>;
export const payoutMethods = object({ methods: array(methodChoice) });
const payoutMethod = object({
  ...method,
  transactions_count: integer,
  total_amount: number,
  left_out_count: integer,
  left_out_amount: number,
  left_out: array(object({ ...leftOut.properties, affiliate: nullable(nestedAffiliate) })),
});
export type PayoutMethodDto = Static<typeof payoutMethod>;
export const payoutMethodsFor = object({ methods: array(payoutMethod) });
